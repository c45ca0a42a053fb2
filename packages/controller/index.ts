/** What every reconciler of a CSI sidecar needs, written once: see `docs/architecture.md`. */
export { requeueAfter } from "@csi-sidecars/kube";
