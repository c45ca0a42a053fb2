import { done, type ReconcileResult } from "@csi-sidecars/kube";

/** Ends a reconcile of a claim without a failure: there is nothing to be done now. */
export class Left extends Error {
  readonly result: ReconcileResult;
  constructor(result: ReconcileResult = done) {
    super("left as it is");
    this.result = result;
  }
}
