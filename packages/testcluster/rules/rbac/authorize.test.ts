import { describe, expect, test } from "bun:test";
import { type AccessRequest, authorize, isAllowed, type PolicyRule, type RbacPolicy, serviceAccountUser, type User } from "./authorize.ts";

const sidecar = serviceAccountUser("storage", "csi");

function bound(rules: readonly PolicyRule[]): RbacPolicy {
  return {
    clusterRoles: [{ metadata: { name: "r" }, rules }],
    clusterRoleBindings: [
      { roleRef: { kind: "ClusterRole", name: "r" }, subjects: [{ kind: "ServiceAccount", namespace: "storage", name: "csi" }] },
    ],
    roles: [],
    roleBindings: [],
  };
}

describe("a rule bound in the whole cluster", () => {
  const get = (more: object = {}): AccessRequest => ({ verb: "get", group: "", resource: "pods", namespace: "ns", name: "p", ...more });
  const pods: PolicyRule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
  const cases: [behaviour: string, rule: PolicyRule, request: AccessRequest, allowed: boolean][] = [
    ["allows what it names", pods, get(), true],
    ["allows cluster scope too", pods, get({ namespace: undefined }), true],
    ["not another verb", pods, get({ verb: "list" }), false],
    ["not another group", pods, get({ group: "apps" }), false],
    ["not a subresource", pods, get({ subresource: "status" }), false],
    ["a subresource by name", { ...pods, resources: ["pods/status"] }, get({ subresource: "status" }), true],
    ["a named subresource is not the resource", { ...pods, resources: ["pods/status"] }, get(), false],
    ["a subresource of every resource", { ...pods, resources: ["*/status"] }, get({ subresource: "status" }), true],
    ["every resource has its subresources", { ...pods, resources: ["*"] }, get({ subresource: "status" }), true],
    ["every verb and group", { apiGroups: ["*"], resources: ["pods"], verbs: ["*"] }, get({ group: "x", verb: "patch" }), true],
    ["a resource name", { ...pods, resourceNames: ["p"] }, get(), true],
    ["not another name", { ...pods, resourceNames: ["q"] }, get(), false],
    ["not a list when names are given", { ...pods, verbs: ["list"], resourceNames: ["p"] }, get({ verb: "list", name: undefined }), false],
    ["a path", { nonResourceURLs: ["/metrics"], verbs: ["get"] }, { verb: "get", path: "/metrics" }, true],
    ["paths below", { nonResourceURLs: ["/healthz/*"], verbs: ["get"] }, { verb: "get", path: "/healthz/etcd" }, true],
    ["not another path", { nonResourceURLs: ["/metrics"], verbs: ["get"] }, { verb: "get", path: "/version" }, false],
  ];
  test.each(cases)("%s", (_, rule, request, allowed) => {
    expect(isAllowed(sidecar, request, bound([rule]))).toBe(allowed);
  });
});

describe("subjects and bindings", () => {
  const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
  const inNamespace = (kind: string, subject: object): RbacPolicy => ({
    clusterRoles: [
      { metadata: { name: "r" }, rules },
      { metadata: { name: "all" }, rules: [], aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: "all" } }] } },
      { metadata: { name: "part", labels: { to: "all" } }, rules },
    ],
    clusterRoleBindings: [],
    roles: [{ metadata: { name: "r", namespace: "storage" }, rules }],
    roleBindings: [
      {
        metadata: { name: "b", namespace: "storage" },
        roleRef: { kind, name: kind === "Aggregated" ? "all" : "r" },
        subjects: [{ kind: "ServiceAccount", name: "csi", ...subject }],
      },
    ],
  });
  const request = (namespace?: string): AccessRequest => ({
    verb: "get",
    group: "",
    resource: "secrets",
    name: "s",
    ...(namespace && { namespace }),
  });
  const cases: [behaviour: string, user: User, policy: RbacPolicy, request: AccessRequest, allowed: boolean][] = [
    ["a role in its namespace", sidecar, inNamespace("Role", {}), request("storage"), true],
    ["a role not in another namespace", sidecar, inNamespace("Role", {}), request("other"), false],
    ["a role not in the cluster scope", sidecar, inNamespace("Role", {}), request(), false],
    ["a cluster role bound in a namespace", sidecar, inNamespace("ClusterRole", {}), request("storage"), true],
    ["a cluster role bound in a namespace is not wide", sidecar, inNamespace("ClusterRole", {}), request("other"), false],
    ["a service account of another namespace", sidecar, inNamespace("Role", { namespace: "other" }), request("storage"), false],
    ["a group", sidecar, inNamespace("Role", { kind: "Group", name: "system:serviceaccounts:storage" }), request("storage"), true],
    ["a user by name", { name: "ann", groups: [] }, inNamespace("Role", { kind: "User", name: "ann" }), request("storage"), true],
    ["nobody", { name: "nobody", groups: ["system:authenticated"] }, inNamespace("Role", {}), request("storage"), false],
    ["masters may everything", { name: "admin", groups: ["system:masters"] }, bound([]), request("storage"), true],
  ];
  test.each(cases)("%s", (_, user, policy, asked, allowed) => {
    expect(isAllowed(user, asked, policy)).toBe(allowed);
  });

  test("an aggregating role has the rules of the roles that it selects", () => {
    const policy = inNamespace("Aggregated", {});
    const wide: RbacPolicy = {
      ...policy,
      clusterRoleBindings: [{ roleRef: { kind: "ClusterRole", name: "all" }, subjects: [{ kind: "User", name: sidecar.name }] }],
    };
    expect(isAllowed(sidecar, request(), wide)).toBe(true);
  });

  test("a refusal reads as the real server's", () => {
    expect(() => authorize(sidecar, { ...request("storage"), subresource: "status" }, bound([]))).toThrow(
      'secrets "s" is forbidden: User "system:serviceaccount:storage:csi" cannot get resource "secrets/status" in API group "" in the namespace "storage"',
    );
    expect(() => authorize(sidecar, { verb: "get", path: "/foo" }, bound([]))).toThrow(
      'forbidden: User "system:serviceaccount:storage:csi" cannot get path "/foo"',
    );
  });
});
