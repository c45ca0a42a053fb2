import type { RbacRules } from "@csi-sidecars/host";

const read = ["get", "list", "watch"];
const gate = "CSIVolumeGroupSnapshot";
const group = { apiGroups: ["groupsnapshot.storage.k8s.io"], because: "for group snapshots", gate };
const single = { apiGroups: ["snapshot.storage.k8s.io"] };

/** Upstream's rules, without verbs that are never used. */
export function snapshotterRules(): RbacRules {
  return {
    cluster: [
      { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
      { apiGroups: [""], resources: ["secrets"], verbs: ["get"], because: "for classes that name a secret" },
      { ...single, resources: ["volumesnapshotclasses"], verbs: read },
      { ...single, resources: ["volumesnapshotcontents"], verbs: [...read, "patch"] },
      { ...single, resources: ["volumesnapshotcontents/status"], verbs: ["patch"] },
      { ...group, resources: ["volumegroupsnapshotclasses"], verbs: read },
      { ...group, resources: ["volumegroupsnapshotcontents"], verbs: [...read, "patch"] },
      { ...group, resources: ["volumegroupsnapshotcontents/status"], verbs: ["patch"] },
    ],
    namespaced: [],
  };
}
