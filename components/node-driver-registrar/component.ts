import { component, exitCode, loggingFlagNames } from "@csi-sidecars/host";
import { flagProblems, healthEndpoint, isProbe, registrarFlags } from "./flags.ts";
import { Registrar } from "./registrar.ts";

/** Tells kubelet about the driver, through a socket in its plugin registry. */
export const nodeDriverRegistrar = component({
  name: "node-driver-registrar",
  aliases: ["csi-node-driver-registrar"],
  standalone: "csi-node-driver-registrar",
  upstreamVersion: "v2.17.0",
  flags: registrarFlags,
  processFlags: ["csi-address", "version", "enable-pprof", "automaxprocs", ...loggingFlagNames],
  validate: flagProblems,
  exitEarly: (flags) => (isProbe(flags) ? exitCode.clean : undefined),
  leadership: "none",
  kube: false,
  driver: "named",
  identityTimeoutMs: ({ timeout }) => timeout,
  healthPrecedence: 1,
  ownEndpoint: healthEndpoint,
  rbac: () => ({ cluster: [], namespaced: [] }),
  async start(context) {
    const registrar = new Registrar(context);
    context.log.info("Running node-driver-registrar", { mode: context.flags.mode });
    context.health(() => registrar.check());
    return { done: registrar.run() };
  },
});
