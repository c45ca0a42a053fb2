import type { PolicyRule, RbacRules } from "@csi-sidecars/host";
import { electionRules } from "@csi-sidecars/host/sub-commands";

/** Rules that a service account gets together: a role and its binding. */
export interface Grant {
  /** The component that needs them; absent for leader election, which all elected ones share. */
  readonly component?: string;
  /** For a Role: where. Absent for a ClusterRole. */
  readonly namespace?: string;
  /** The end of the role's name, after the common prefix; may be empty. */
  readonly suffix: string;
  readonly rules: readonly PolicyRule[];
}

interface GrantOptions {
  readonly components: readonly { readonly name: string; readonly rules: RbacRules }[];
  /** Whether the role of a component needs no name of its own, because there is only one. */
  readonly alone: boolean;
  /** The pod's. */
  readonly namespace: string;
  /** Where the lease is; absent without leader election. */
  readonly leaseNamespace?: string;
}

/** The minimal grants of these components, one for each component and scope, in the order of the components. */
export function grantsFor({ components, alone, namespace, leaseNamespace }: GrantOptions): readonly Grant[] {
  const grants = components.flatMap(({ name, rules }): Grant[] => {
    const shared = { component: name, suffix: alone ? "" : `-${name}` };
    return [
      { ...shared, rules: mergeVerbs(rules.cluster) },
      { ...shared, namespace, rules: mergeVerbs(rules.namespaced) },
    ];
  });
  if (leaseNamespace !== undefined)
    grants.push({ namespace: leaseNamespace, suffix: "-leader-election", rules: mergeVerbs(electionRules) });
  return grants.filter(({ rules }) => rules.length > 0);
}

const verbOrder = ["get", "list", "watch", "create", "update", "patch", "delete"];

/** Rules that differ in their verbs alone become one, with verbs in the usual order. */
function mergeVerbs(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const merged = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.because]);
    merged.set(key, { ...rule, verbs: [...(merged.get(key)?.verbs ?? []), ...rule.verbs] });
  }
  return [...merged.values()].map((rule) => ({ ...rule, verbs: sortedVerbs(rule.verbs) }));
}

function sortedVerbs(verbs: readonly string[]): readonly string[] {
  const place = (verb: string) => (verbOrder.includes(verb) ? verbOrder.indexOf(verb) : verbOrder.length);
  return [...new Set(verbs)].sort((a, b) => place(a) - place(b) || a.localeCompare(b));
}
