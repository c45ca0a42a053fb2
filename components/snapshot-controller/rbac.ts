import type { FlagValues, RbacRules } from "@csi-sidecars/host";
import type { snapshotControllerFlags } from "./flags.ts";

const read = ["get", "list", "watch"];
const single = { apiGroups: ["snapshot.storage.k8s.io"] };
const group = { apiGroups: ["groupsnapshot.storage.k8s.io"], because: "for group snapshots", gate: "CSIVolumeGroupSnapshot" };

/** Upstream's rules, without verbs that are never used. Claims may be updated, not patched. */
export function snapshotControllerRules(
  flags: Pick<FlagValues<typeof snapshotControllerFlags>, "enableDistributedSnapshotting">,
): RbacRules {
  const nodes = { apiGroups: [""], resources: ["nodes"], verbs: read, because: "to find the node that a volume is accessible from" };
  return {
    cluster: [
      { apiGroups: [""], resources: ["persistentvolumes"], verbs: read },
      { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: [...read, "update"] },
      { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
      ...(flags.enableDistributedSnapshotting ? [nodes] : []),
      { ...single, resources: ["volumesnapshotclasses"], verbs: read },
      { ...single, resources: ["volumesnapshotcontents"], verbs: [...read, "create", "patch", "delete"] },
      { ...single, resources: ["volumesnapshotcontents/status"], verbs: ["patch"] },
      { ...single, resources: ["volumesnapshots"], verbs: [...read, "create", "patch", "delete"] },
      { ...single, resources: ["volumesnapshots/status"], verbs: ["patch"] },
      { ...group, resources: ["volumegroupsnapshotclasses"], verbs: read },
      { ...group, resources: ["volumegroupsnapshotcontents"], verbs: [...read, "create", "patch", "delete"] },
      { ...group, resources: ["volumegroupsnapshots"], verbs: [...read, "patch"] },
      { ...group, resources: ["volumegroupsnapshots/status"], verbs: ["patch"] },
    ],
    namespaced: [],
  };
}
