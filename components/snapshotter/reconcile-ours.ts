import { type AssumeCache, done, type Reconcile, type ReconcileResult, requeueAfter, type WaitingForClass } from "@csi-sidecars/controller";
import type { Cached, View } from "@csi-sidecars/kube";
import type { ContentState } from "./content-state.ts";

/** What the loops of both kinds of contents have. */
interface LoopContext<C extends Cached> {
  readonly caches: { readonly contents: Pick<View<C>, "get"> };
  readonly contents: AssumeCache<C>;
  readonly waiting: Pick<WaitingForClass, "delete">;
  readonly state: Pick<ContentState<unknown>, "forget">;
}

/** Reconciles contents of our driver. The process may end at every await: the next attempt continues from what is stored by then. */
export function reconcileOurs<C extends Cached>(
  c: LoopContext<C>,
  isOurs: (content: C) => boolean,
  carryOut: (content: C, signal: AbortSignal) => Promise<ReconcileResult>,
): Reconcile {
  return async (name, signal) => {
    const content = c.contents.get(name);
    if (!content || !isOurs(content)) return done;
    c.waiting.delete(name);
    const { uid } = content.metadata;
    try {
      return await carryOut(content, signal);
    } finally {
      // Of one that is gone no event would ever remove what was learned after that.
      if (c.caches.contents.get(name)?.metadata.uid !== uid) c.state.forget(uid);
    }
  };
}

/** Asks the driver later whether a snapshot is ready. However many are waited for, new ones and deletions go first. */
export const poll = (waitMs: number): ReconcileResult => requeueAfter(waitMs, "low");
