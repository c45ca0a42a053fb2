import { isDeepStrictEqual } from "node:util";
import { groupSnapshotAnnotation as annotation, type Handler } from "@csi-sidecars/kube";
import type { GroupContent, SnapshotClass } from "../fields.ts";
import type { GroupContentContext } from "./group-content-context.ts";

const byClass = "class";

/** Turns watch events into queue keys. Our own writes are no reason to work. */
export function addEventHandlers(c: GroupContentContext, resyncMs: number): void {
  const { contents, classes } = c.caches;
  contents.addIndex(byClass, ({ spec, status }) => (status?.readyToUse ? [] : [spec?.volumeGroupSnapshotClassName ?? ""]));
  contents.addHandler(contentHandler(c), { resyncMs, name: "snapshotter" });
  classes.addHandler(classHandler(c), { name: "snapshotter" });
}

function contentHandler({ controller, contents, memory }: GroupContentContext): Handler<GroupContent> {
  return {
    onAdd({ metadata }, { initial }) {
      controller.enqueue(metadata.name, initial ? "low" : "normal");
    },
    onUpdate(old, content) {
      const { name } = content.metadata;
      if (old === content) controller.enqueue(name, "low");
      else
        contents.observe(content, () => {
          if (mayBeDue(old, content)) controller.enqueue(name);
        });
    },
    onDelete(content) {
      contents.deleted(content);
      controller.queue.forget(content.metadata.name);
      memory.forget(content.metadata.uid);
    },
  };
}

/** A content may wait for its class: it is considered when that appears, whatever delay it has reached. */
function classHandler({ controller, caches }: GroupContentContext): Handler<SnapshotClass> {
  return {
    onAdd({ metadata }, { initial }) {
      if (initial) return;
      for (const { metadata: content } of caches.contents.byIndex(byClass, metadata.name)) {
        controller.queue.forget(content.name);
        controller.enqueue(content.name);
      }
    },
  };
}

/**
 * Whether a change may be a reason to work: of what users and the snapshot-controller write, or that the snapshot became ready. The rest of the
 * status, the finalizers and the mark of a creation are ours to write.
 */
export function mayBeDue(old: GroupContent, content: GroupContent): boolean {
  if (!old.status?.readyToUse && content.status?.readyToUse) return true;
  return !isDeepStrictEqual(writtenByOthers(old), writtenByOthers(content));
}

function writtenByOthers({ metadata, spec }: GroupContent) {
  const { [annotation.beingCreated]: _, ...annotations } = metadata.annotations ?? {};
  return [metadata.uid, metadata.deletionTimestamp, annotations, spec];
}
