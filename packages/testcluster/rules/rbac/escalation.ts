import { trimRight } from "@csi-sidecars/base";
import { quoted } from "../field-error.ts";
import { type JsonObject, objectAt, sameValue, stringAt } from "../json.ts";
import type { AdmissionContext, ServedKind } from "../kind.ts";
import { forbiddenBecause, notFound } from "../status.ts";
import { isAllowed, type PolicyRule, type RbacPolicy, type Role, type RoleBinding, rulesFor, rulesOf, type User } from "./authorize.ts";

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

/** The server names the binding where the role is missing. */
const served = (namespace: string): ServedKind =>
  namespace
    ? { group, version: "v1", kind: "RoleBinding", plural: "rolebindings", namespaced: true, status: false }
    : { group, version: "v1", kind: "ClusterRoleBinding", plural: "clusterrolebindings", namespaced: false, status: false };

/** Exempt: system:masters, and changes of the garbage collector. */
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

/** One thing that a rule allows: a verb on a resource (of one name, perhaps), or on a path. */
type Right =
  | { readonly verb: string; readonly group: string; readonly resource: string; readonly name?: string }
  | { readonly verb: string; readonly path: string };

/** The message about rights that the user would grant without having them; `undefined` where their own rules cover all. */
function whyEscalates(user: User, own: readonly PolicyRule[], given: readonly PolicyRule[]): string | undefined {
  const missing = given.flatMap(rightsOf).filter((right) => !own.some((rule) => ruleCovers(rule, right)));
  if (missing.length === 0) return undefined;
  const who = `user ${quoted(user.name)} (groups=${listed(user.groups)})`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${described(missing).join("\n")}`;
}

function rightsOf({ verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): readonly Right[] {
  const names = resourceNames.length > 0 ? resourceNames : [undefined];
  const onResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => names.map((name) => ({ verb, group, resource, ...(name !== undefined && { name }) }))),
    ),
  );
  return [...onResources, ...nonResourceURLs.flatMap((path) => verbs.map((verb) => ({ verb, path })))];
}

/** `*` is only covered by `*`: having every verb one by one is not enough. */
function ruleCovers(rule: PolicyRule, right: Right): boolean {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs = [] } = rule;
  const has = (list: readonly string[], word: string) => list.includes("*") || list.includes(word);
  if (!has(verbs, right.verb)) return false;
  if ("path" in right) return nonResourceURLs.some((url) => pathCovers(url, right.path));
  const { group, resource, name } = right;
  const [, subresource] = resource.split("/", 2);
  const isResource = has(resources, resource) || (subresource !== undefined && resources.includes(`*/${subresource}`));
  const isName = resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
  return has(apiGroups, group) && isResource && isName;
}

const pathCovers = (url: string, path: string): boolean => url === path || (url.endsWith("*") && path.startsWith(trimRight(url, "*")));

/** The verbs on one resource together, in alphabetical order of the lines. */
function described(rights: readonly Right[]): readonly string[] {
  const lines = Map.groupBy(rights, (right) =>
    "path" in right ? JSON.stringify([right.path, right.verb]) : JSON.stringify([right.group, right.resource, right.name ?? null]),
  );
  const texts = [...lines.values()].map((same) => {
    const [first] = same;
    const verbs = `Verbs:${listed(same.map(({ verb }) => verb))}}`;
    if (first === undefined || "path" in first) return `{NonResourceURLs:${listed([first?.path ?? ""])}, ${verbs}`;
    const name = first.name === undefined ? "" : `ResourceNames:${listed([first.name])}, `;
    return `{APIGroups:${listed([first.group])}, Resources:${listed([first.resource])}, ${name}${verbs}`;
  });
  return [...new Set(texts)].sort();
}

/** A list as Go's `%q` writes it. */
const listed = (words: readonly string[]): string => `[${words.map(quoted).join(" ")}]`;
