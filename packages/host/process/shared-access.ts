import { writeTerminationLog } from "@csi-sidecars/base";
import type { Registry } from "@csi-sidecars/base/prometheus";
import { exitOnLoss, operationMetrics } from "@csi-sidecars/csi";
import { electionMetrics, loadConfig, streamedListsEnabled, userAgent } from "@csi-sidecars/kube";
import { DriverSession } from "../driver/driver-session.ts";
import { type KubeAccess, openKube } from "../kube/kube-access.ts";
import { eventLimit, workLimit } from "../kube/limits.ts";
import { candidacyOf } from "./candidacy.ts";
import { Election, type ElectionOptions } from "./election.ts";
import type { Plan } from "./plan.ts";
import type { ShellOptions } from "./shell.ts";

/** The API server as all components reach it. Reads configuration only; throws where that cannot work. */
export function openSharedKube(
  { program, plan, settings, world, log }: ShellOptions,
  registry: Registry,
  onReaderError: () => void,
): KubeAccess {
  const { kubeconfig, master } = settings.process;
  const { env, clock, random } = world;
  const [only] = program.form === "individual" ? program.components : [];
  const config = loadConfig({
    kubeconfig,
    master,
    env,
    log,
    ...(only?.kubeconfigVariable && { kubeconfigVariable: only.kubeconfigVariable }),
  });
  return openKube({
    ...{ config, clock, random, log, registry, onReaderError },
    userAgent: userAgent({ name: program.name, version: program.version, ...(program.commit && { commit: program.commit }) }),
    streaming: streamedListsEnabled(env),
    wrapClient: world.intercept?.client,
    freezeCaches: world.intercept?.freezeCaches,
    eventLimit: eventLimit(plan.enabled.map((component) => workLimit(settings.of(component)))),
  });
}

/** The one connection to the driver. */
export function newSession(
  { plan, settings, world, log, program }: ShellOptions,
  need: Exclude<Plan["driver"], "none">,
  registry: Registry,
  shell: { readonly draining: () => boolean; readonly exit: () => void },
): DriverSession {
  const exit = exitOnLoss({ log, exit: shell.exit, terminationLog: world.terminationLog });
  return new DriverSession({
    ...{ need, clock: world.clock, log, lossPolicy: plan.lossPolicy },
    address: settings.process.csiAddress,
    exitUnlessMet: plan.exitUnlessMet,
    connectTimeoutMs: plan.answersForDriver ? 0 : 30_000,
    identityTimeoutMs: plan.identityTimeoutMs,
    probeTimeoutMs: plan.probeTimeoutMs,
    // A pod that is deleted loses its driver while it drains: no reason to stop draining.
    onLoss: () => (shell.draining() ? "reconnect" : exit()),
    metrics: operationMetrics({ registry }),
    wrapDriver: world.intercept?.driver,
    maxLogLength: settings.process.maxGrpcLogLength,
    userAgent: `${program.name}/${program.version}`,
  });
}

/** The election of all components that run in the leader only. */
export function newElection(
  { program, plan, settings, gates, world, log }: ShellOptions,
  { kube, session, registry }: { readonly kube: KubeAccess; readonly session: DriverSession | undefined; readonly registry: Registry },
  shell: Pick<ElectionOptions, "fatal" | "inTheWay"> & { readonly drained: () => boolean },
): Election {
  const { clock, random } = world;
  const metrics = electionMetrics(registry);
  return new Election({
    ...{ lead: world.lead, lossPolicy: plan.lossPolicy, clock, log },
    fatal: shell.fatal,
    inTheWay: shell.inTheWay,
    candidacy: async (signal) => {
      const driver = await session?.named(signal);
      if (signal.aborted) return undefined;
      const { eventSource, ...candidacy } = candidacyOf(program, plan, settings.process, world, driver);
      return {
        ...candidacy,
        ...{ client: kube.election, metrics, registry, clock, log, random },
        events: kube.events.recorder(eventSource, log),
        mayRelease: () => shell.drained() && gates.enabled("ReleaseLeaderElectionOnExit"),
        writeTerminationLog: (message) => writeTerminationLog(world.terminationLog, message, log),
      };
    },
  });
}
