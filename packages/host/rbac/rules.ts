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
