import { isDeepStrictEqual } from "node:util";
import { snapshotAnnotation as annotation, type Handler, type Priority } from "@csi-sidecars/kube";
import type { Content, SnapshotClass } from "../fields.ts";
import { type ContentContext, classOf } from "./content-context.ts";
import { isOurs, planContent } from "./plan-content.ts";

/** Turns watch events into queue keys. What needs no work costs nothing, and our own writes are no reason to work. */
export function addContentHandlers(c: ContentContext, resyncMs: number): void {
  c.caches.contents.addHandler(contentHandler(c), { resyncMs, name: "snapshotter" });
  c.caches.classes.addHandler(classHandler(c), { name: "snapshotter" });
}

/**
 * Enqueues a content that asks for something. With a low priority nothing has changed: then one that failed keeps waiting for its backoff.
 */
function enqueue(c: ContentContext, content: Content, priority: Priority = "normal"): void {
  const { name } = content.metadata;
  if (priority === "low" && c.controller.queue.numRequeues(name) > 0) return;
  const snapshotClass = classOf(c, content);
  if (isOurs(content, c.driver.name, snapshotClass)) {
    if (planContent(content).step !== "none") c.controller.enqueue(name, priority);
  } else if (snapshotClass && isOurs(content, c.driver.name, undefined)) {
    c.waiting.add(name, snapshotClass.metadata.name);
  }
}

function contentHandler(c: ContentContext): Handler<Content> {
  return {
    onAdd: (content, { initial }) => enqueue(c, content, initial ? "low" : "normal"),
    onUpdate(old, content) {
      if (old === content) return enqueue(c, content, "low");
      c.contents.observe(content, () => {
        if (mayMatter(old, content)) enqueue(c, content);
      });
    },
    onDelete(content) {
      const { name, uid } = content.metadata;
      c.contents.deleted(content);
      c.controller.queue.forget(name);
      c.waiting.delete(name);
      c.state.forget(uid);
    },
  };
}

/**
 * Whether a change that somebody else made may ask for something: not that of the status or the mark, which are ours, but for a handle that the
 * snapshot-controller writes into a member of a group, and readiness, behind which a deletion may have waited.
 */
export function mayMatter(old: Content, content: Content): boolean {
  const becameReady = old.status?.readyToUse !== true && content.status?.readyToUse === true;
  const gotHandle = (["snapshotHandle", "volumeGroupSnapshotHandle"] as const).some(
    (field) => old.status?.[field] === undefined && content.status?.[field] !== undefined,
  );
  return becameReady || gotHandle || !isDeepStrictEqual(wished(old), wished(content));
}

/** What others say about a content. */
function wished({ metadata, spec }: Content): object {
  const { [annotation.beingCreated]: _, ...annotations } = metadata.annotations ?? {};
  return { uid: metadata.uid, deletionTimestamp: metadata.deletionTimestamp, annotations, spec };
}

/** A class may be created after the contents that name it, or replaced. */
function classHandler(c: ContentContext): Handler<SnapshotClass> {
  const considerWaiting = ({ metadata }: SnapshotClass) => {
    for (const name of [...c.waiting.waitingFor(metadata.name)]) {
      const content = c.contents.get(name);
      c.waiting.delete(name);
      c.controller.queue.forget(name);
      if (content) enqueue(c, content);
    }
  };
  return {
    onAdd: considerWaiting,
    onUpdate: (old, snapshotClass) => {
      if (old !== snapshotClass) considerWaiting(snapshotClass);
    },
    onDelete: considerWaiting,
  };
}
