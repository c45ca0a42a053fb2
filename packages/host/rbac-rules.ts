import type { Gates } from "./gates/feature-gates.ts";

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Why the rule is there, where it is optional: a comment in the generated manifest. */
  readonly because?: string;
  /** The feature gate without which it is not needed. */
  readonly gate?: string;
}

/** What a component must be allowed, in the whole cluster and in its own namespace. */
export interface RbacRules {
  readonly cluster: readonly PolicyRule[];
  readonly namespaced: readonly PolicyRule[];
}

/** A component's rules without those of features that are disabled. */
export function neededRules({ cluster, namespaced }: RbacRules, gates: Gates): RbacRules {
  const needed = ({ gate }: PolicyRule) => gate === undefined || gates.enabled(gate);
  return { cluster: cluster.filter(needed), namespaced: namespaced.filter(needed) };
}

/** What leader election needs. Upstream's published roles grant more; nothing lists, watches or deletes leases. */
export const electionRules: readonly PolicyRule[] = [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
  {
    apiGroups: [""],
    resources: ["events"],
    verbs: ["create", "patch"],
    because: "reports in events who leads, and which legacy sidecar blocks it",
  },
];
