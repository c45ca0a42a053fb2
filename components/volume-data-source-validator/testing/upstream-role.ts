import type { PolicyRule } from "@csi-sidecars/host";

/** The ClusterRole `volume-data-source-validator` that upstream publishes. */
export const upstreamRole: readonly PolicyRule[] = [
  { apiGroups: ["populator.storage.k8s.io"], resources: ["volumepopulators"], verbs: ["get", "list", "watch"] },
  { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["get", "list", "watch"] },
  { apiGroups: [""], resources: ["events"], verbs: ["list", "watch", "create", "update", "patch"] },
];
