import type { Client } from "@csi-sidecars/kube";
import { namespace } from "./manifests.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const read = ["get", "list", "watch"];

/** The part of upstream's published role that capacity needs, and no more. */
export async function bindCapacityRole(admin: Client, user: string): Promise<void> {
  const metadata = { name: `capacity-of-${user}` };
  const subjects = [{ kind: "User", name: user, apiGroup: "rbac.authorization.k8s.io" }];
  const bind = async (scope: string, kind: string, rules: readonly object[]) => {
    await admin.raw("POST", `${scope}/${kind.toLowerCase()}s`, { apiVersion: "rbac.authorization.k8s.io/v1", kind, metadata, rules });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name: metadata.name };
    const binding = { apiVersion: "rbac.authorization.k8s.io/v1", kind: `${kind}Binding`, metadata, subjects, roleRef };
    await admin.raw("POST", `${scope}/${kind.toLowerCase()}bindings`, binding);
  };
  await bind(rbac, "ClusterRole", [
    { apiGroups: ["storage.k8s.io"], resources: ["storageclasses", "csinodes"], verbs: read },
    { apiGroups: [""], resources: ["nodes"], verbs: read },
  ]);
  const verbs = [...read, "create", "update", "patch", "delete"];
  await bind(`${rbac}/namespaces/${namespace}`, "Role", [
    { apiGroups: ["storage.k8s.io"], resources: ["csistoragecapacities"], verbs },
    { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
    { apiGroups: ["apps"], resources: ["replicasets"], verbs: ["get"] },
  ]);
}
