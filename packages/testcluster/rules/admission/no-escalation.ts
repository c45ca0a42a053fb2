import { isAllowed, type RbacPolicy, type Role, type RoleBinding, rulesFor, rulesOf } from "../authorize.ts";
import { whyEscalates } from "../escalation.ts";
import { type JsonObject, objectAt, sameValue, stringAt } from "../json.ts";
import type { ServedKind } from "../kind.ts";
import { forbiddenBecause, notFound } from "../status.ts";
import type { AdmissionContext } from "./kind-rules.ts";

const group = "rbac.authorization.k8s.io";
const everything = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

type Written = JsonObject & Role & RoleBinding;

/** Refuses a role that holds more than its writer does, unless the writer may `escalate` roles. */
export function guardRole(object: JsonObject, old: JsonObject | undefined, context: AdmissionContext): void {
  if (isFree(object, old, context)) return;
  const [name, namespace] = [stringAt(object, "metadata", "name"), stringAt(object, "metadata", "namespace")];
  const policy = policyOf(context);
  const resource = namespace ? "roles" : "clusterroles";
  const request = { verb: "escalate", group, resource, ...(namespace && { namespace }), ...(old && { name }) };
  if (isAllowed(context.user, request, policy)) return;
  const own = rulesFor(context.user, namespace, policy);
  const why = whyEscalates(context.user, own, (object as Written).rules ?? []);
  if (why) throw forbiddenBecause(group, resource, name, why);
  if (!aggregates(object) && !aggregates(old)) return;
  if (whyEscalates(context.user, own, everything)) {
    throw forbiddenBecause(group, resource, name, "must have cluster-admin privileges to use the aggregationRule");
  }
}

/** Refuses a binding to a role that holds more than its writer does, unless the writer may `bind` it. */
export function guardBinding(object: JsonObject, old: JsonObject | undefined, context: AdmissionContext): void {
  if (isFree(object, old, context)) return;
  const [name, namespace] = [stringAt(object, "metadata", "name"), stringAt(object, "metadata", "namespace")];
  const policy = policyOf(context);
  const { kind, name: role } = (object as Written).roleRef;
  const roles = kind === "ClusterRole" ? "clusterroles" : "roles";
  if (isAllowed(context.user, { verb: "bind", group, resource: roles, name: role, ...(namespace && { namespace }) }, policy)) return;
  const roleNamespace = kind === "ClusterRole" ? undefined : namespace;
  if (!context.get(`${roles}.${group}`, roleNamespace, role)) throw notFound(served(namespace), role);
  const why = whyEscalates(context.user, rulesFor(context.user, namespace, policy), rulesOf(object as Written, policy));
  if (why) throw forbiddenBecause(group, served(namespace).plural, name, why);
}

/** The server speaks of the binding where it misses the role. */
const served = (namespace: string): ServedKind =>
  namespace
    ? { group, version: "v1", kind: "RoleBinding", plural: "rolebindings", namespaced: true, status: false }
    : { group, version: "v1", kind: "ClusterRoleBinding", plural: "clusterrolebindings", namespaced: false, status: false };

/** Those who may do everything, and the garbage collector's changes. */
function isFree(object: JsonObject, old: JsonObject | undefined, { user }: AdmissionContext): boolean {
  return user.groups.includes("system:masters") || (old !== undefined && sameValue(withoutOwners(old), withoutOwners(object)));
}

function withoutOwners(object: JsonObject): JsonObject {
  const { ownerReferences, finalizers, managedFields, resourceVersion, ...metadata } = objectAt(object, "metadata");
  const { kind, apiVersion, ...rest } = object;
  return { ...rest, metadata };
}

const aggregates = (object: JsonObject | undefined) => objectAt(object, "aggregationRule").clusterRoleSelectors !== undefined;

function policyOf({ list }: AdmissionContext): RbacPolicy {
  const all = (plural: string) => list(`${plural}.${group}`) as readonly Written[];
  return {
    clusterRoles: all("clusterroles"),
    clusterRoleBindings: all("clusterrolebindings"),
    roles: all("roles"),
    roleBindings: all("rolebindings"),
  };
}
