import { component, loggingFlagNames } from "@csi-sidecars/host";
import { flagProblems, flagWarnings, healthEndpoint, livenessprobeFlags } from "./flags.ts";
import { startLivenessprobe } from "./start.ts";

/** Turns the driver's Probe call into the `/healthz` that kubelet asks for the driver's container. */
export const livenessprobe = component({
  name: "livenessprobe",
  aliases: ["liveness-probe"],
  standalone: "livenessprobe",
  upstreamVersion: "v2.19.0",
  flags: livenessprobeFlags,
  processFlags: ["csi-address", "metrics-path", "automaxprocs", ...loggingFlagNames],
  validate: flagProblems,
  warn: flagWarnings,
  leadership: "none",
  kube: false,
  driver: "unknown",
  servesDriverLiveness: true,
  healthPrecedence: 2,
  ownEndpoint: healthEndpoint,
  ownMetricsEndpoint: ({ metricsAddress }) => (metricsAddress === "" ? undefined : { address: metricsAddress, flag: "metrics-address" }),
  rbac: () => ({ cluster: [], namespaced: [] }),
  start: startLivenessprobe,
});
