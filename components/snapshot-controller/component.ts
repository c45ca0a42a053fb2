import { component, gate, loggingFlagNames } from "@csi-sidecars/host";
import { snapshotControllerFlags } from "./flags.ts";
import { snapshotControllerKinds } from "./kinds.ts";
import { snapshotControllerOperations } from "./operations.ts";
import { snapshotControllerRules } from "./rbac.ts";
import { snapshotControllerRemedies } from "./remedies.ts";
import { startSnapshotController } from "./start.ts";

/** external-snapshotter's controller, one for each cluster: binds snapshots to contents, whichever driver takes them. */
export const snapshotController = component({
  name: "snapshot-controller",
  standalone: "snapshot-controller",
  leadership: "required",
  kube: true,
  driver: "none",
  flags: snapshotControllerFlags,
  processFlags: [
    "version",
    "kubeconfig",
    "leader-election",
    "leader-election-namespace",
    "leader-election-lease-duration",
    "leader-election-renew-deadline",
    "leader-election-retry-period",
    "http-endpoint",
    "metrics-path",
    "feature-gates",
    "automaxprocs",
    ...loggingFlagNames,
  ],
  gates: {
    CSIVolumeGroupSnapshot: gate(true, "GA", "Create and bind group snapshots, if the cluster has the kinds."),
  },
  legacyLease: () => "snapshot-controller-leader",
  kinds: snapshotControllerKinds,
  operations: snapshotControllerOperations,
  remedies: snapshotControllerRemedies,
  rbac: snapshotControllerRules,
  start: startSnapshotController,
});
