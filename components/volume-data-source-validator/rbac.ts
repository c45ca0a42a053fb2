import type { RbacRules } from "@csi-sidecars/host";

const read = ["get", "list", "watch"];

/** Upstream's rules, without verbs that are never used. */
export function validatorRules(): RbacRules {
  return {
    cluster: [
      { apiGroups: ["populator.storage.k8s.io"], resources: ["volumepopulators"], verbs: read },
      { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: read },
      { apiGroups: [""], resources: ["events"], verbs: ["list", "create", "patch"] },
    ],
    namespaced: [],
  };
}
