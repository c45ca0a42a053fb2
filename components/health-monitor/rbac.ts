import type { FlagValues, RbacRules } from "@csi-sidecars/host";
import type { healthMonitorFlags } from "./flags.ts";

const read = ["get", "list", "watch"];

/** Upstream's rules, without those that flags make unnecessary. */
export function healthMonitorRules(flags: Pick<FlagValues<typeof healthMonitorFlags>, "enableNodeWatcher">): RbacRules {
  const nodeWatcher = "to report volumes whose pods are on a failed node";
  return {
    cluster: [
      { apiGroups: [""], resources: ["persistentvolumes"], verbs: read },
      { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: read },
      { apiGroups: [""], resources: ["events"], verbs: ["list", "create", "patch"] },
      ...(flags.enableNodeWatcher
        ? [{ apiGroups: [""], resources: ["nodes", "pods"], verbs: ["list", "watch"], because: nodeWatcher }]
        : []),
    ],
    namespaced: [],
  };
}
