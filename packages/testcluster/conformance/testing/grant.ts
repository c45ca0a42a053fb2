import { until } from "@csi-sidecars/base/testing";
import { type Wire, wire } from "../../apiserver/testing/wire.ts";
import type { Cluster, TestUser } from "../../cluster/cluster.ts";
import { clusterRoleBindings, clusterRoles } from "./fixtures.ts";

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** Rules for the whole cluster, and rules by namespace. */
interface Grants {
  readonly cluster?: readonly Rule[];
  readonly namespaces?: Readonly<Record<string, readonly Rule[]>>;
}

/** A user with exactly these grants, in effect when this resolves. */
export async function userWith(cluster: Cluster, grants: Grants): Promise<TestUser> {
  const admin = wire(cluster, { token: cluster.adminToken });
  const user = cluster.newUser();
  const create = async (path: string, object: object) => {
    const { code, body } = await admin.post(path, object);
    if (code !== 201) throw new Error(`${path}: ${body.message}`);
  };
  const binding = (kind: "Role" | "ClusterRole") => ({
    metadata: { name: user.name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: user.name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user.name }],
  });
  const asUser = wire(cluster, { token: user.token });

  if (grants.cluster) {
    await create(clusterRoles, { metadata: { name: user.name }, rules: grants.cluster });
    await create(clusterRoleBindings, binding("ClusterRole"));
    await untilAllowed(asUser, grants.cluster, undefined);
  }
  for (const [namespace, rules] of Object.entries(grants.namespaces ?? {})) {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    await create(`${path}/roles`, { metadata: { name: user.name }, rules });
    await create(`${path}/rolebindings`, binding("Role"));
    await untilAllowed(asUser, rules, namespace);
  }
  return user;
}

/** The result of a SelfSubjectAccessReview. */
export async function mayDo(sender: Wire, resourceAttributes: object): Promise<{ allowed: boolean; reason?: string }> {
  const { body } = await sender.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec: { resourceAttributes } });
  return body.status;
}

/** A real server sees new roles and bindings through caches, a moment later. */
async function untilAllowed(asUser: Wire, rules: readonly Rule[], namespace: string | undefined): Promise<void> {
  const [rule] = rules;
  const [resource = "", subresource] = rule?.resources[0]?.split("/") ?? [];
  const attributes = { verb: rule?.verbs[0], group: rule?.apiGroups[0], resource, subresource, namespace, name: rule?.resourceNames?.[0] };
  await until(`the server sees the rule ${JSON.stringify(rule)}`, async () => (await mayDo(asUser, attributes)).allowed);
}
