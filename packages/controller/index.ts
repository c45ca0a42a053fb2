/** What every reconciler of a CSI sidecar needs, written once: see `docs/architecture.md`. */
export { done, type Reconcile, type ReconcileResult, requeueAfter, retry } from "@csi-sidecars/kube";
