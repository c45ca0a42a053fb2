import { isDeepStrictEqual } from "node:util";
import { hasFinalizer } from "@csi-sidecars/controller";
import type { Handler, Priority } from "@csi-sidecars/kube";
import { type AttacherContext, byNode, byVolume } from "./attacher-context.ts";
import { isOrphaned, orphanDeleted } from "./detach/orphaned-attachments.ts";
import type { Attachment, CsiNode, Volume } from "./fields.ts";
import { persistentVolumeName, registeredNodeId } from "./resolved-attachment.ts";
import { needsFinalizerWork } from "./volume-finalizer.ts";

/** Turns watch events into queue keys. What needs no work costs nothing: neither a start nor a resync enqueues it. */
export function addEventHandlers(c: AttacherContext, resyncMs: number): void {
  const { attachments, volumes, nodes } = c.caches;
  attachments.addHandler(attachmentHandler(c), { resyncMs, name: "attacher" });
  volumes.addHandler(volumeHandler(c), { resyncMs, name: "attacher" });
  nodes.addHandler(nodeHandler(c), { name: "attacher" });
}

function attachmentHandler(c: AttacherContext): Handler<Attachment> {
  return {
    onAdd: (attachment, { initial }) => enqueueIfNeeded(c, attachment, initial ? "low" : "normal"),
    onUpdate(old, attachment) {
      if (old === attachment) return enqueueIfNeeded(c, attachment, "low");
      const isDeletion = attachment.metadata.deletionTimestamp && !old.metadata.deletionTimestamp;
      c.attachments.observe(old, attachment, () => {
        if (!isDeletion && shouldEnqueue(old, attachment)) enqueueIfNeeded(c, attachment);
      });
      if (isDeletion) enqueueIfNeeded(c, attachment);
    },
    onDelete(attachment) {
      const last = c.attachments.deleted(attachment);
      c.state.deleted(attachment.metadata.name);
      c.queues.forget(attachment.metadata.name);
      if (isOrphaned(last, c.driver)) orphanDeleted(c, last);
      const volume = persistentVolumeName(attachment);
      if (volume) c.volumeController.enqueue(volume);
    },
  };
}

function volumeHandler(c: AttacherContext): Handler<Volume> {
  const enqueue = (volume: Volume, priority: Priority = "normal") => {
    if (needsFinalizerWork(volume, c.driver)) c.volumeController.enqueue(volume.metadata.name, priority);
  };
  return {
    onAdd(volume, { initial }) {
      enqueue(volume, initial ? "low" : "normal");
      if (!initial) retryAttachments(c, byVolume, volume.metadata.name);
    },
    onUpdate(old, volume) {
      if (old === volume) enqueue(volume, "low");
      else c.volumes.observe(old, volume, () => enqueue(volume));
    },
    onDelete: (volume) => void c.volumes.deleted(volume),
  };
}

function nodeHandler(c: AttacherContext): Handler<CsiNode> {
  return {
    onAdd(node, { initial }) {
      if (!initial && registeredNodeId(node, c.driver.name) !== undefined) retryAttachments(c, byNode, node.metadata.name);
    },
    onUpdate(old, node) {
      const nodeId = registeredNodeId(node, c.driver.name);
      if (nodeId !== undefined && nodeId !== registeredNodeId(old, c.driver.name)) retryAttachments(c, byNode, node.metadata.name);
    },
  };
}

/** The attachments of an object that appeared may have failed without it: they need not wait for their backoff. */
function retryAttachments(c: AttacherContext, index: string, name: string): void {
  for (const { metadata } of c.caches.attachments.byIndex(index, name)) {
    const attachment = c.attachments.get(metadata.name);
    if (attachment) enqueueIfNeeded(c, attachment);
  }
}

function enqueueIfNeeded(c: AttacherContext, attachment: Attachment, priority: Priority = "normal"): void {
  if (needsWork(attachment, c)) c.queues.enqueue(attachment, priority);
}

/** A cheap check whether the attachment asks for a call: most attachments are attached and stay so. */
export function needsWork(attachment: Attachment, { driver, state }: Pick<AttacherContext, "driver" | "state">): boolean {
  const { metadata, spec, status } = attachment;
  if (spec.attacher !== driver.name) return false;
  if (state.isForced(metadata.name)) return true;
  if (!metadata.deletionTimestamp) return !status?.attached;
  return hasFinalizer(attachment, driver.finalizer) || state.isDetached(attachment);
}

/**
 * Whether an update may be a reason to reconcile. If only the errors changed, an attacher that failed has saved them and retries after
 * its backoff: reconciling at once would turn every failure into a tight loop.
 */
export function shouldEnqueue(old: Attachment, attachment: Attachment): boolean {
  if (old.metadata.resourceVersion === attachment.metadata.resourceVersion) return true;
  if (!hasError(old) && !hasError(attachment)) return true;
  return !isDeepStrictEqual(withoutErrors(old), withoutErrors(attachment));
}

function hasError({ status }: Attachment): boolean {
  return Boolean(status?.attachError || status?.detachError);
}

/** All that the attacher reads but the errors: the cached object may have fields of other readers. */
function withoutErrors({ metadata, spec, status }: Attachment) {
  const { uid, finalizers = [], annotations = {}, deletionTimestamp } = metadata;
  const { attached = false, attachmentMetadata = {} } = status ?? {};
  return { uid, finalizers, annotations, deletionTimestamp, spec, attached, attachmentMetadata };
}
