import type { Requeue } from "@csi-sidecars/kube";

/** Ends a reconcile of a claim without a failure: there is nothing to be done now. */
export class Left extends Error {
  readonly requeue: Requeue | undefined;
  constructor(requeue?: Requeue) {
    super("left as it is");
    this.requeue = requeue;
  }
}
