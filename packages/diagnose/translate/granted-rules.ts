import { ownValue } from "@csi-sidecars/base";
import type { PolicyRule } from "@csi-sidecars/host";
import { type LabelSelector, matchesLabels } from "@csi-sidecars/kube";
import { type Fields, fieldsAt, listAt, textAt } from "./container.ts";
import type { Manifest } from "./manifests.ts";

/** One permission: a verb on a resource, in a namespace or in the whole cluster. */
export interface Permission {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Absent: in the whole cluster. */
  readonly namespace?: string;
  /** Only on objects with these names. */
  readonly names?: readonly string[];
  /** Why it is needed, where it is optional. */
  readonly because?: string;
}

/** What the roles in a stream allow a service account. */
export interface Granted {
  /** Whether any role is bound to it. */
  readonly bound: boolean;
  readonly permissions: readonly Permission[];
  /** The bound roles that are not in the stream. */
  readonly unknown: readonly string[];
}

export function permissionsOf(manifests: readonly Manifest[], account: string, namespace: string): Granted {
  let bound = false;
  const unknown: string[] = [];
  const permissions = manifests.flatMap((binding): readonly Permission[] => {
    if (binding.kind !== "ClusterRoleBinding" && binding.kind !== "RoleBinding") return [];
    if (!listAt(binding.object, "subjects").some((subject) => isAccount(subject, account, namespace, binding))) return [];
    bound = true;
    const ref = fieldsAt(binding.object, "roleRef");
    const scope = binding.kind === "RoleBinding" ? binding.namespace || namespace : undefined;
    const role = manifests.find(
      ({ kind, name, namespace: where }) =>
        kind === textAt(ref, "kind") && name === textAt(ref, "name") && (kind === "ClusterRole" || (where || namespace) === scope),
    );
    if (!role) unknown.push(`${textAt(ref, "kind")} ${textAt(ref, "name")}`);
    return role ? rulesOf(role, manifests).flatMap((rule) => expandRule(rule, scope)) : [];
  });
  return { bound, permissions, unknown: [...new Set(unknown)] };
}

/** The rules of a role, and those that an aggregated ClusterRole gets from others. */
function rulesOf({ object }: Manifest, manifests: readonly Manifest[]): readonly Fields[] {
  const selectors = listAt(fieldsAt(object, "aggregationRule"), "clusterRoleSelectors") as readonly LabelSelector[];
  const parts = manifests.filter(({ kind, object: other }) => {
    const labels = (fieldsAt(other, "metadata", "labels") ?? {}) as Readonly<Record<string, string>>;
    return kind === "ClusterRole" && selectors.some((selector) => matchesLabels(selector, labels));
  });
  return [object, ...parts.map((part) => part.object)].flatMap((role) => listAt(role, "rules"));
}

/** The namespace of a service account as the input tells it: bindings have to name it, workloads may leave it to `kubectl`. Empty if it is not one. */
export function namespaceOfAccount(manifests: readonly Manifest[], account: string): string {
  const own = manifests.filter(({ kind, name }) => kind === "ServiceAccount" && name === account).map(({ namespace }) => namespace);
  const bound = manifests
    .filter(({ kind }) => kind === "ClusterRoleBinding" || kind === "RoleBinding")
    .flatMap(({ object, namespace }) =>
      listAt(object, "subjects")
        .filter((subject) => textAt(subject, "kind") === "ServiceAccount" && textAt(subject, "name") === account)
        .map((subject) => textAt(subject, "namespace") || namespace),
    );
  const [only = "", ...others] = new Set([...own, ...bound].filter((namespace) => namespace !== ""));
  return others.length === 0 ? only : "";
}

function isAccount(subject: Fields, account: string, namespace: string, { namespace: own }: Manifest): boolean {
  return (
    textAt(subject, "kind") === "ServiceAccount" &&
    textAt(subject, "name") === account &&
    (textAt(subject, "namespace") || own || namespace) === namespace
  );
}

const words = (rule: Fields, field: string): readonly string[] => {
  const list = ownValue(rule, field);
  return Array.isArray(list) ? list.map(String) : [];
};

function expandRule(rule: Fields, namespace: string | undefined): readonly Permission[] {
  const names = words(rule, "resourceNames");
  return permissionsIn(
    { apiGroups: words(rule, "apiGroups"), resources: words(rule, "resources"), verbs: words(rule, "verbs") },
    namespace,
  ).map((each) => ({
    ...each,
    ...(names.length > 0 && { names }),
  }));
}

/** A rule as single permissions. */
export function permissionsIn({ apiGroups, resources, verbs, because }: PolicyRule, namespace?: string): readonly Permission[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => ({
        group,
        resource,
        verb,
        ...(namespace !== undefined && { namespace }),
        ...(because !== undefined && { because }),
      })),
    ),
  );
}

/** Whether one permission includes another, whatever the names of the objects. */
export function covers(granted: Permission, needed: Permission): boolean {
  const fits = (have: string, want: string) => have === "*" || have === want;
  return (
    fits(granted.group, needed.group) &&
    (fits(granted.resource, needed.resource) ||
      (granted.resource.startsWith("*/") && needed.resource.endsWith(granted.resource.slice(1)))) &&
    fits(granted.verb, needed.verb) &&
    (granted.namespace === undefined || granted.namespace === needed.namespace)
  );
}
