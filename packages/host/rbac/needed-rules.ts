import type { Gates } from "../gates/gates.ts";
import type { PolicyRule, RbacRules } from "./rules.ts";

/** A component's rules without those of features that are off. */
export function neededRules({ cluster, namespaced }: RbacRules, gates: Gates): RbacRules {
  const needed = ({ gate }: PolicyRule) => gate === undefined || gates.enabled(gate);
  return { cluster: cluster.filter(needed), namespaced: namespaced.filter(needed) };
}
