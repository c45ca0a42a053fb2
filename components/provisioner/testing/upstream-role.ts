const read = ["get", "list", "watch"];
const storage = "storage.k8s.io";
const snapshots = "snapshot.storage.k8s.io";

/** The rules that upstream publishes for the provisioner, as they are: what users have bound today. */
export const upstreamRole = [
  { apiGroups: [""], resources: ["persistentvolumes"], verbs: [...read, "create", "patch", "delete"] },
  { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: [...read, "update"] },
  { apiGroups: [storage], resources: ["storageclasses"], verbs: read },
  { apiGroups: [""], resources: ["events"], verbs: ["list", "watch", "create", "update", "patch"] },
  { apiGroups: [snapshots], resources: ["volumesnapshots"], verbs: [...read, "update"] },
  { apiGroups: [snapshots], resources: ["volumesnapshotcontents"], verbs: ["get", "list"] },
  { apiGroups: [storage], resources: ["csinodes"], verbs: read },
  { apiGroups: [""], resources: ["nodes"], verbs: read },
  { apiGroups: [storage], resources: ["volumeattachments"], verbs: read },
];

/** What upstream's manifest has as comments: for those who name secrets. */
export const secretsRule = { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] };

/** What upstream's role in its own namespace has for those who publish capacity. */
export const capacityRules = [
  { apiGroups: [storage], resources: ["csistoragecapacities"], verbs: [...read, "create", "update", "patch", "delete"] },
  { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
  { apiGroups: ["apps"], resources: ["replicasets"], verbs: ["get"] },
];
