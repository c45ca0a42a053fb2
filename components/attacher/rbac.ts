import type { RbacRules } from "@csi-sidecars/host";

const storage = "storage.k8s.io";

/** Upstream's rules: attachments and volumes are patched, never updated. packages/host adds the rules for the lease. */
export const attacherRules: RbacRules = {
  cluster: [
    { apiGroups: [""], resources: ["persistentvolumes"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [storage], resources: ["csinodes"], verbs: ["get", "list", "watch"] },
    { apiGroups: [storage], resources: ["volumeattachments"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [storage], resources: ["volumeattachments/status"], verbs: ["patch"] },
    {
      apiGroups: [""],
      resources: ["secrets"],
      verbs: ["get"],
      because: "only for volumes that name a controllerPublishSecretRef",
    },
  ],
  namespaced: [],
};
