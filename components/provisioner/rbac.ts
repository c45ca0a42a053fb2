import type { FlagValues, PolicyRule, RbacRules } from "@csi-sidecars/host";
import type { provisionerFlags } from "./flags.ts";

const storage = "storage.k8s.io";
const snapshots = "snapshot.storage.k8s.io";
const read = ["get", "list", "watch"];

/** Upstream's rules, without those that flags and gates make unnecessary. Claims and snapshots are updated, never patched. */
export function provisionerRules(flags: FlagValues<typeof provisionerFlags>): RbacRules {
  const sweeps = flags.snapshotOrphanSweepInterval > 0;
  const nodes: readonly PolicyRule[] = [
    { apiGroups: [storage], resources: ["csinodes"], verbs: read },
    { apiGroups: [""], resources: ["nodes"], verbs: read },
  ];
  return {
    cluster: [
      { apiGroups: [""], resources: ["persistentvolumes"], verbs: [...read, "create", "patch", "delete"] },
      { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: [...read, "update"] },
      { apiGroups: [storage], resources: ["storageclasses"], verbs: read },
      { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
      {
        apiGroups: [snapshots],
        resources: ["volumesnapshots"],
        verbs: ["get", "update", ...(sweeps ? ["list", "watch"] : [])],
        because: "to restore snapshots",
      },
      { apiGroups: [snapshots], resources: ["volumesnapshotcontents"], verbs: ["get"], because: "to restore snapshots" },
      ...(flags.nodeDeployment ? [] : nodes),
      { apiGroups: [storage], resources: ["volumeattachments"], verbs: read, because: "for drivers that attach volumes" },
      {
        apiGroups: [storage],
        resources: ["volumeattributesclasses"],
        verbs: ["get"],
        because: "for claims that name a VolumeAttributesClass",
        gate: "VolumeAttributesClass",
      },
      { apiGroups: [""], resources: ["secrets"], verbs: ["get"], because: "for classes that name secrets" },
      {
        apiGroups: ["gateway.networking.k8s.io"],
        resources: ["referencegrants"],
        verbs: read,
        because: "for claims with a data source in another namespace",
        gate: "CrossNamespaceVolumeDataSource",
      },
    ],
    namespaced: flags.enableCapacity ? capacityRules : [],
  };
}

const capacityRules: readonly PolicyRule[] = [
  { apiGroups: [storage], resources: ["csistoragecapacities"], verbs: [...read, "create", "update", "patch", "delete"] },
  { apiGroups: [""], resources: ["pods"], verbs: ["get"], because: "to find the owner of the capacity objects" },
  { apiGroups: ["apps"], resources: ["replicasets"], verbs: ["get"], because: "to find the owner of the capacity objects" },
];
