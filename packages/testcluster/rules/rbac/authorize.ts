import { ownValue } from "@csi-sidecars/base";
import { forbidden, forbiddenPath, type RefusedAction } from "../status.ts";

/** A user. `groups` includes those of the authentication method (`system:authenticated`, service account groups). */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** The attributes of a request. */
export type AccessRequest = Omit<RefusedAction, "user"> | { readonly verb: string; readonly path: string };

/** The rbac.authorization.k8s.io objects that decide. */
export interface RbacPolicy {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly RoleBinding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
}

export interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Named {
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> };
}

export interface Role extends Named {
  readonly rules?: readonly PolicyRule[] | null;
}

export interface ClusterRole extends Role {
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly { readonly matchLabels?: Readonly<Record<string, string>> }[] };
}

export interface RoleBinding extends Named {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[] | null;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Throws the 403 of the real server unless a role that is bound to the user allows the request. */
export function authorize(user: User, request: AccessRequest, policy: RbacPolicy): void {
  if (isAllowed(user, request, policy)) return;
  if ("path" in request) throw forbiddenPath(user.name, request.verb, request.path);
  throw forbidden({ user: user.name, ...request });
}

/** What {@link authorize} decides, for access reviews. */
export const isAllowed = (user: User, request: AccessRequest, policy: RbacPolicy): boolean =>
  whyAllowed(user, request, policy) !== undefined;

/** The reason with the binding that allows the request; empty for system:masters, `undefined` when it is not allowed. */
export function whyAllowed(user: User, request: AccessRequest, policy: RbacPolicy): string | undefined {
  if (user.groups.includes("system:masters")) return "";
  const grants = grantsTo(user, "path" in request ? undefined : request.namespace, policy);
  return grants.find(({ rules }) => rules.some((rule) => ruleAllows(rule, request)))?.because;
}

/** The rules that apply to the user, in a namespace and cluster-wide. */
export const rulesFor = (user: User, namespace: string, policy: RbacPolicy): readonly PolicyRule[] =>
  grantsTo(user, namespace, policy).flatMap(({ rules }) => rules);

/** The user and groups of a service account's token. */
export function serviceAccountUser(namespace: string, name: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}

/** The rules that one binding grants. */
interface Grant {
  readonly rules: readonly PolicyRule[];
  readonly because: string;
}

function grantsTo(user: User, namespace: string | undefined, policy: RbacPolicy): readonly Grant[] {
  const inNamespace = ({ metadata }: Named) => metadata?.namespace === namespace;
  const bindings = [...policy.clusterRoleBindings, ...(namespace ? policy.roleBindings.filter(inNamespace) : [])];
  return bindings.flatMap((binding) => {
    const subject = (binding.subjects ?? []).find((candidate) => isSubject(user, candidate, binding.metadata?.namespace));
    return subject ? [{ rules: rulesOf(binding, policy), because: reason(binding, subject) }] : [];
  });
}

/** What the role of a binding allows; nothing where there is no such role. */
export function rulesOf({ roleRef, metadata }: RoleBinding, policy: RbacPolicy): readonly PolicyRule[] {
  if (roleRef.kind === "ClusterRole") {
    const role = policy.clusterRoles.find((candidate) => candidate.metadata?.name === roleRef.name);
    return role ? clusterRoleRules(role, policy.clusterRoles) : [];
  }
  const isMeant = (role: Role) => role.metadata?.namespace === metadata?.namespace && role.metadata?.name === roleRef.name;
  return policy.roles.find(isMeant)?.rules ?? [];
}

function reason({ metadata, roleRef }: RoleBinding, subject: Subject): string {
  const binding = metadata?.namespace ? `RoleBinding "${metadata.name}/${metadata.namespace}"` : `ClusterRoleBinding "${metadata?.name}"`;
  const account = subject.namespace ?? metadata?.namespace;
  const to = subject.kind === "ServiceAccount" ? `"${subject.name}/${account}"` : `"${subject.name}"`;
  return `RBAC: allowed by ${binding} of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} ${to}`;
}

/** The rules of a cluster role; one that aggregates has those of the roles whose labels it selects instead of its own. */
function clusterRoleRules(role: ClusterRole, all: readonly ClusterRole[]): readonly PolicyRule[] {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  if (!selectors) return role.rules ?? [];
  const selected = (candidate: ClusterRole) =>
    selectors.some(({ matchLabels = {} }) =>
      Object.entries(matchLabels).every(([key, value]) => ownValue(candidate.metadata?.labels, key) === value),
    );
  return all.filter((candidate) => candidate !== role && selected(candidate)).flatMap((candidate) => candidate.rules ?? []);
}

function isSubject(user: User, subject: Subject, bindingNamespace: string | undefined): boolean {
  switch (subject.kind) {
    case "User":
      return subject.name === user.name;
    case "Group":
      return user.groups.includes(subject.name);
    case "ServiceAccount":
      return user.name === `system:serviceaccount:${subject.namespace ?? bindingNamespace}:${subject.name}`;
    default:
      return false;
  }
}

function ruleAllows(rule: PolicyRule, request: AccessRequest): boolean {
  if (!covers(rule.verbs, request.verb)) return false;
  if ("path" in request) return (rule.nonResourceURLs ?? []).some((url) => pathMatches(url, request.path));
  return covers(rule.apiGroups, request.group) && coversResource(rule, request) && coversName(rule, request.name);
}

const covers = (list: readonly string[] | undefined, wanted: string) => list !== undefined && (list.includes("*") || list.includes(wanted));

function coversResource(rule: PolicyRule, { resource, subresource }: { resource: string; subresource?: string }): boolean {
  const resources = rule.resources ?? [];
  if (!subresource) return resources.includes("*") || resources.includes(resource);
  return resources.includes("*") || resources.includes(`${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

function coversName(rule: PolicyRule, name = ""): boolean {
  return !rule.resourceNames || rule.resourceNames.length === 0 || rule.resourceNames.includes(name);
}

function pathMatches(url: string, path: string): boolean {
  return url === "*" || url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1)));
}
