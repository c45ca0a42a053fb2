import type { Client } from "@csi-sidecars/kube";
import { attacherRules } from "../rbac.ts";

/** Lets a user do what the shipped role says, with or without its optional rule about secrets. */
export async function bindRole(admin: Client, user: string, withoutSecrets = false): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const metadata = { name: `attacher-of-${user}` };
  const rules = attacherRules.cluster
    .filter(({ resources }) => !withoutSecrets || !resources.includes("secrets"))
    .map(({ apiGroups, resources, verbs }) => ({ apiGroups, resources, verbs }));
  await admin.raw("POST", `${rbac}/clusterroles`, { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata, rules });
  await admin.raw("POST", `${rbac}/clusterrolebindings`, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
  });
}
