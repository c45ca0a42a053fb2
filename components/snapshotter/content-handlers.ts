import { isDeepStrictEqual } from "node:util";
import type { AssumeCache, Controller, WaitingForClass } from "@csi-sidecars/controller";
import type { Cached, Handler, Priority, View } from "@csi-sidecars/kube";
import type { ContentState } from "./content-state.ts";
import type { SnapshotClass } from "./fields.ts";

/** A content of either kind. */
interface AnyContent extends Cached {
  readonly metadata: Cached["metadata"] & {
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string | undefined>>;
  };
  readonly spec?: object;
  readonly status?: { readonly readyToUse?: boolean };
}

/** The loop over the contents of one kind; its keys are their names. */
interface ContentLoop<P extends AnyContent> {
  readonly caches: { readonly contents: View<P>; readonly classes: View<SnapshotClass> };
  readonly contents: AssumeCache<P>;
  readonly controller: Controller;
  readonly state: Pick<ContentState<unknown>, "forget">;
  /** The contents whose class is missing, another driver's, or not usable. */
  readonly waiting: WaitingForClass;
}

/** What the events of one kind mean. */
export interface ContentRules<P extends AnyContent> {
  /** The class that a content names, if it is there. */
  classOf(content: P): SnapshotClass | undefined;
  isOurs(content: P, snapshotClass: SnapshotClass | undefined): boolean;
  /** Whether a content of ours asks for something. */
  isDue(content: P): boolean;
  /** Whether a change by somebody else may ask for something. */
  mayMatter(old: P, content: P): boolean;
}

/** Turns watch events into queue keys. What needs no work costs nothing, and our own writes are no reason to work. */
export function addContentHandlers<P extends AnyContent>(c: ContentLoop<P>, rules: ContentRules<P>, resyncMs: number): void {
  const { controller, contents, waiting } = c;
  /** With a low priority nothing has changed: then a content that failed keeps waiting for its backoff. */
  const enqueue = (content: P, priority: Priority = "normal") => {
    const { name } = content.metadata;
    if (priority === "low" && controller.queue.numRequeues(name) > 0) return;
    const snapshotClass = rules.classOf(content);
    if (rules.isOurs(content, snapshotClass)) {
      if (rules.isDue(content)) controller.enqueue(name, priority);
    } else if (snapshotClass && rules.isOurs(content, undefined)) {
      waiting.add(name, snapshotClass.metadata.name);
    }
  };
  c.caches.contents.addHandler(
    {
      onAdd: (content, { initial }) => enqueue(content, initial ? "low" : "normal"),
      onUpdate(old, content) {
        if (old === content) return enqueue(content, "low");
        contents.observe(old, content, () => {
          if (rules.mayMatter(old, content)) enqueue(content);
        });
      },
      onDelete(content) {
        const { name, uid } = content.metadata;
        contents.deleted(content);
        controller.queue.forget(name);
        waiting.delete(name);
        c.state.forget(uid);
      },
    },
    { resyncMs, name: "snapshotter" },
  );
  c.caches.classes.addHandler(classHandler(c, enqueue), { name: "snapshotter" });
}

/** A class may be created after the contents that name it, or replaced. */
function classHandler<P extends AnyContent>(
  { controller, contents, waiting }: ContentLoop<P>,
  enqueue: (content: P) => void,
): Handler<SnapshotClass> {
  const considerWaiting = ({ metadata }: SnapshotClass) => {
    for (const name of [...waiting.waitingFor(metadata.name)]) {
      const content = contents.get(name);
      waiting.delete(name);
      controller.queue.forget(name);
      if (content) enqueue(content);
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

/**
 * Whether somebody else changed what a content asks for: not its status or the annotation that marks a creation, which are ours, but for
 * readiness. A deletion may have waited for that, and upstream's snapshot-controller sets it back in members of groups.
 */
export function isChangedByOthers(old: AnyContent, content: AnyContent, mark: string): boolean {
  const isReadinessOther = (old.status?.readyToUse === true) !== (content.status?.readyToUse === true);
  return isReadinessOther || !isDeepStrictEqual(wished(old, mark), wished(content, mark));
}

function wished({ metadata, spec }: AnyContent, mark: string): object {
  const { [mark]: _, ...annotations } = metadata.annotations ?? {};
  return { uid: metadata.uid, deletionTimestamp: metadata.deletionTimestamp, annotations, spec };
}
