import type { Registry } from "@csi-sidecars/base/prometheus";
import { exitOnLoss, operationMetrics } from "@csi-sidecars/csi";
import { loadConfig, streamedListsEnabled, userAgent } from "@csi-sidecars/kube";
import type { CallRecorder } from "../activity/call-recorder.ts";
import { callsInFlight } from "../driver/calls-in-flight.ts";
import { DriverSession } from "../driver/driver-session.ts";
import { exitCode } from "../flags/exit-code.ts";
import { eventLimit, type KubeAccess, kubeAccess } from "../kube/kube-access.ts";
import { workLimit } from "../kube/work-limit.ts";
import type { PlannedProcess, ProcessPlan } from "../program/plan-process.ts";
import type { Shutdown } from "./shutdown.ts";

/** The API server as all components reach it. Reads configuration only; throws where that cannot work. */
export function openKube(
  { program, plan, settings, processEnv, log }: PlannedProcess,
  registry: Registry,
  onReaderError: () => void,
  recorder: CallRecorder | undefined,
): KubeAccess {
  const { kubeconfig, master } = settings.process;
  const { env, clock, random, intercept } = processEnv;
  const [only] = program.form === "individual" ? program.components : [];
  const config = loadConfig({
    kubeconfig,
    master,
    env,
    log,
    ...(only?.kubeconfigVariable && { kubeconfigVariable: only.kubeconfigVariable }),
  });
  return kubeAccess({
    ...{ config, clock, random, log, registry, onReaderError },
    userAgent: userAgent({ name: program.name, version: program.version, ...(program.commit && { commit: program.commit }) }),
    streaming: streamedListsEnabled(env),
    wrapClient: (client, name) => {
      const wrapped = intercept?.client?.(client, name) ?? client;
      return recorder?.recording(wrapped) ?? wrapped;
    },
    freezeCaches: intercept?.freezeCaches,
    eventLimit: eventLimit(plan.enabled.map((component) => workLimit(settings.of(component)))),
  });
}

/** The one connection to the driver. */
export function openDriver(
  { plan, settings, processEnv, log, program }: PlannedProcess,
  need: Exclude<ProcessPlan["driver"], "none">,
  registry: Registry,
  shutdown: Shutdown,
  recorder: CallRecorder | undefined,
): DriverSession {
  const exit = exitOnLoss({ log, exit: () => shutdown.now(exitCode.failure), terminationLog: processEnv.terminationLog });
  return new DriverSession({
    ...{ need, clock: processEnv.clock, log, lossPolicy: plan.lossPolicy },
    address: settings.process.csiAddress,
    gracePeriodMs: settings.process.driverLossGracePeriod,
    exitUnlessIdentified: plan.exitUnlessIdentified,
    connectTimeoutMs: plan.servesDriverLiveness ? 0 : 30_000,
    identityTimeoutMs: plan.identityTimeoutMs,
    probeTimeoutMs: plan.probeTimeoutMs,
    // A pod that is deleted loses its driver while it drains: no reason to stop draining.
    onLoss: () => (shutdown.stopping.aborted ? "reconnect" : exit()),
    metrics: operationMetrics({ registry }),
    wrapDriver: processEnv.intercept?.driver,
    interceptors: [callsInFlight(registry, processEnv.clock), ...(recorder ? [recorder.interceptor] : [])],
    maxLogLength: settings.process.maxGrpcLogLength,
    userAgent: `${program.name}/${program.version}`,
  });
}
