import { missingNodeEnvironment } from "@csi-sidecars/controller";
import { component, gate, sidecarFlagNames } from "@csi-sidecars/host";
import { unsupportedDriver } from "./driver-capabilities.ts";
import { snapshotterOperations } from "./event-reasons.ts";
import { snapshotterFlags } from "./flags.ts";
import { snapshotterKinds } from "./kinds.ts";
import { snapshotterRules } from "./rbac.ts";
import { snapshotterRemedies } from "./remedies.ts";
import { startSnapshotter } from "./start.ts";

/** external-snapshotter's sidecar: takes and deletes snapshots with CreateSnapshot and DeleteSnapshot, and group snapshots likewise. */
export const snapshotter = component({
  name: "snapshotter",
  standalone: "csi-snapshotter",
  upstreamVersion: "v8.6.0",
  aliases: ["csi-snapshotter", "external-snapshotter"],
  onByDefault: true,
  leadership: "required",
  kube: true,
  driver: "ready",
  flags: snapshotterFlags,
  processFlags: [...sidecarFlagNames, "feature-gates"],
  gates: {
    CSIVolumeGroupSnapshot: gate(true, "GA", "Take group snapshots, if the driver can and the cluster has the kinds."),
  },
  legacyLease: (driver) => `external-snapshotter-leader-${driver.replaceAll("/", "-")}`,
  operations: snapshotterOperations,
  remedies: snapshotterRemedies,
  identityTimeoutMs: ({ timeout }) => timeout,
  unsupported: ({ driver, flags }) => unsupportedDriver(driver, { timeoutMs: flags.timeout }),
  validate: ({ nodeDeployment, snapshotNamePrefix, groupsnapshotNamePrefix }, { process, flagName }) => [
    ...(nodeDeployment && process.leaderElection
      ? [`--${flagName("node-deployment")} and --leader-election exclude each other: each node has its own process`]
      : []),
    ...(snapshotNamePrefix === "" ? [`--${flagName("snapshot-name-prefix")} must not be empty`] : []),
    ...(groupsnapshotNamePrefix === "" && process.featureGates.get("CSIVolumeGroupSnapshot") !== false
      ? [`--${flagName("groupsnapshot-name-prefix")} must not be empty`]
      : []),
  ],
  missingEnvironment: missingNodeEnvironment,
  kinds: snapshotterKinds,
  rbac: snapshotterRules,
  start: startSnapshotter,
});
