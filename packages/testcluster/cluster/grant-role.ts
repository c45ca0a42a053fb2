import { randomUUID } from "node:crypto";
import type { PolicyRule } from "@csi-sidecars/host";
import type { Client } from "@csi-sidecars/kube";

const group = "rbac.authorization.k8s.io";

/** Grants the rules to a user, cluster-wide or in one namespace, beside those that it has. */
export async function grantRole(admin: Client, user: string, rules: readonly PolicyRule[], namespace?: string): Promise<void> {
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  const path = (plural: string) => `/apis/${group}/v1${namespace === undefined ? "" : `/namespaces/${namespace}`}/${plural}`;
  const common = { apiVersion: `${group}/v1`, metadata: { name: `role-of-${user}-${randomUUID()}` } };
  await admin.raw("POST", path(`${kind.toLowerCase()}s`), {
    ...{ ...common, kind },
    rules: rules.map(({ apiGroups, resources, verbs }) => ({ apiGroups, resources, verbs })),
  });
  await admin.raw("POST", path(`${kind.toLowerCase()}bindings`), {
    ...{ ...common, kind: `${kind}Binding` },
    roleRef: { apiGroup: group, kind, name: common.metadata.name },
    subjects: [{ apiGroup: group, kind: "User", name: user }],
  });
}
