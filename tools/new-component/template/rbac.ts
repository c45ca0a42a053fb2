import type { RbacRules } from "@csi-sidecars/host";

/** What it does with the API server, and no more: a test with these rules alone sees no refusal. */
export function templateSidecarRules(): RbacRules {
  return {
    cluster: [{ apiGroups: [""], resources: ["persistentvolumes"], verbs: ["get", "list", "watch", "patch"] }],
    namespaced: [],
  };
}
