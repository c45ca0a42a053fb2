import { installSnapshotKinds, missingNodeEnvironment } from "@csi-sidecars/controller";
import { component, gate, sidecarFlagNames } from "@csi-sidecars/host";
import { VolumeAttributesClass, VolumeSnapshot, VolumeSnapshotContent } from "@csi-sidecars/kube";
import { missingCapacityEnvironment } from "./capacity/capacity-publisher.ts";
import { provisionerOperations, provisionerRemedies } from "./event-reasons.ts";
import { provisionerFlags } from "./flags.ts";
import { provisionerRules } from "./rbac.ts";
import { startProvisioner } from "./start.ts";

/** external-provisioner: creates and deletes the volumes of claims by calling CreateVolume and DeleteVolume. */
export const provisioner = component({
  name: "provisioner",
  standalone: "csi-provisioner",
  upstreamVersion: "v6.3.0",
  aliases: ["csi-provisioner", "external-provisioner"],
  onByDefault: true,
  leadership: "required",
  kube: true,
  driver: "ready",
  kubeconfigVariable: "override",
  flags: provisionerFlags,
  processFlags: [...sidecarFlagNames, "feature-gates", "master", "enable-pprof"],
  gates: {
    Topology: gate(true, "GA", "Ask for volumes that the nodes can reach, if the driver knows topology."),
    CrossNamespaceVolumeDataSource: gate(
      false,
      "alpha",
      "Create volumes from data sources in other namespaces, where a ReferenceGrant allows it.",
    ),
    VolumeAttributesClass: gate(true, "GA", "Create volumes with the parameters of their VolumeAttributesClass.", {
      needs: VolumeAttributesClass,
    }),
    HonorPVReclaimPolicy: gate(true, "GA", "Accepted for compatibility; has no effect."),
  },
  legacyLease: (driver) => driver.replaceAll("/", "-"),
  operations: provisionerOperations,
  remedies: provisionerRemedies,
  identityTimeoutMs: ({ timeout }) => timeout,
  validate: ({ nodeDeployment, enableCapacity, kubeApiCapacityQps: qps, kubeApiCapacityBurst: burst }, { process, form, flagName }) => [
    ...(nodeDeployment && process.leaderElection && form === "all-in-one"
      ? [`--${flagName("node-deployment")} and --leader-election exclude each other: each node has its own process`]
      : []),
    ...(enableCapacity && qps >= 0 && (burst < 0 || (qps > 0 && burst === 0))
      ? [
          `--${flagName("kube-api-capacity-burst")} must be greater than zero; a negative --${flagName("kube-api-capacity-qps")} is no limit`,
        ]
      : []),
  ],
  missingEnvironment: (flags, surroundings) => [
    ...missingNodeEnvironment(flags, surroundings),
    ...(flags.enableCapacity ? missingCapacityEnvironment(surroundings.env, flags.capacityOwnerrefLevel) : []),
  ],
  kinds: [
    {
      kinds: [VolumeSnapshot, VolumeSnapshotContent],
      without: "no volumes are created from snapshots until they are installed; others are",
      remedy: installSnapshotKinds,
      optional: true,
    },
  ],
  rbac: provisionerRules,
  start: (context) => startProvisioner(context),
});
