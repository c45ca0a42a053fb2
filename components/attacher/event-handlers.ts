import type { Priority, RateLimitingQueue, View } from "@csi-sidecars/kube";
import { abandonRemoved, isAbandoned } from "./abandoned.ts";
import { type AttacherContext, needsWork } from "./attacher-context.ts";
import type { Attachment, NodeDrivers, Volume } from "./fields.ts";
import { driverIdOn } from "./node-id.ts";
import { needsFinalizerWork } from "./plan-volume-finalizer.ts";
import { shouldEnqueue } from "./should-enqueue.ts";
import { volumeNameOf } from "./volume-source.ts";

export interface Views {
  readonly attachments: View<Attachment>;
  readonly volumes: View<Volume>;
  readonly nodes: View<NodeDrivers>;
}

/** The indexes of attachments by what they name. */
export const byVolume = "volume";
const byNode = "node";

/** Turns what the watches tell into work. What rests costs nothing: neither a start nor a resync puts it into a queue. */
export function watchObjects(c: AttacherContext, views: Views, volumeQueue: RateLimitingQueue, resyncMs: number): void {
  const { attachments, volumes, nodes } = views;
  attachments.addIndex(byVolume, (attachment) => [volumeNameOf(attachment) ?? ""].filter((name) => name !== ""));
  attachments.addIndex(byNode, ({ spec }) => [spec.nodeName]);

  const look = (attachment: Attachment, priority: Priority = "normal") => {
    if (needsWork(attachment, c.driver, c.memory)) c.lanes.add(attachment, priority);
  };
  const options = { resyncMs, name: "attacher" };

  attachments.addHandler(
    {
      onAdd: (attachment, { initial }) => look(attachment, initial ? "low" : "normal"),
      onUpdate(old, attachment) {
        if (old === attachment) return look(attachment, "low");
        const deleted = attachment.metadata.deletionTimestamp && !old.metadata.deletionTimestamp;
        c.attachments.observe(attachment, () => {
          if (!deleted && shouldEnqueue(old, attachment)) look(attachment);
        });
        if (deleted) look(attachment);
      },
      onDelete(attachment) {
        const { name } = attachment.metadata;
        const last = c.attachments.deleted(attachment);
        c.memory.forced.delete(name);
        c.memory.unpublished.delete(name);
        c.lanes.forget(name);
        const volume = volumeNameOf(attachment);
        const lookAgain = () => void (volume && volumeQueue.add(volume));
        if (isAbandoned(last, c.driver)) abandonRemoved(c, last, lookAgain);
        lookAgain();
      },
    },
    options,
  );

  /** Attachments may have failed for want of what is there now: they need not wait for their backoff. */
  const wake = (index: string, name: string) => {
    for (const { metadata } of attachments.byIndex(index, name)) {
      const attachment = c.attachments.get(metadata.name);
      if (attachment) look(attachment);
    }
  };

  const lookAtVolume = (volume: Volume, priority: Priority = "normal") => {
    if (needsFinalizerWork(volume, c.driver)) volumeQueue.add(volume.metadata.name, priority);
  };
  volumes.addHandler(
    {
      onAdd(volume, { initial }) {
        lookAtVolume(volume, initial ? "low" : "normal");
        if (!initial) wake(byVolume, volume.metadata.name);
      },
      onUpdate(old, volume) {
        if (old === volume) lookAtVolume(volume, "low");
        else c.volumes.observe(volume, () => lookAtVolume(volume));
      },
      onDelete: (volume) => void c.volumes.deleted(volume),
    },
    options,
  );

  nodes.addHandler(
    {
      onAdd: (node, { initial }) => {
        if (!initial && driverIdOn(node, c.driver.name) !== undefined) wake(byNode, node.metadata.name);
      },
      onUpdate(old, node) {
        const nodeId = driverIdOn(node, c.driver.name);
        if (nodeId !== undefined && nodeId !== driverIdOn(old, c.driver.name)) wake(byNode, node.metadata.name);
      },
    },
    { name: "attacher" },
  );
}
