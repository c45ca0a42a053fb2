import { component } from "@csi-sidecars/host";
import { validatorConditions } from "./event-reasons.ts";
import { validatorFlags } from "./flags.ts";
import { validatorKinds } from "./kinds.ts";
import { validatorRules } from "./rbac.ts";
import { startValidator } from "./start.ts";

/** volume-data-source-validator, one for each cluster: warns about claims whose data source is of a kind that no volume populator serves. */
export const volumeDataSourceValidator = component({
  name: "volume-data-source-validator",
  standalone: "volume-data-source-validator",
  upstreamVersion: "v1.7.0",
  aliases: ["data-source-validator"],
  leadership: "own",
  kube: true,
  driver: "none",
  flags: validatorFlags,
  processFlags: [
    "version",
    "kubeconfig",
    "leader-election",
    "leader-election-namespace",
    "leader-election-lease-duration",
    "leader-election-renew-deadline",
    "leader-election-retry-period",
    "http-endpoint",
    "metrics-path",
    "v",
    "vmodule",
  ],
  legacyLease: () => "data-source-validator-leader",
  kinds: validatorKinds,
  conditions: validatorConditions,
  rbac: validatorRules,
  start: startValidator,
});
