import type { Clock, Logger } from "@csi-sidecars/base";
import { type Environment, namespaceOf } from "@csi-sidecars/kube";
import type { DriverSession } from "../driver/driver-session.ts";
import type { Settings } from "../flags/resolve.ts";
import type { Gates } from "../gates/gates.ts";
import type { KubeAccess } from "../kube/kube-access.ts";
import { neededRules } from "../rbac/needed-rules.ts";
import type { Plan } from "./plan.ts";
import type { SidecarProgram } from "./sidecar-program.ts";

export interface StartReportOptions {
  readonly program: SidecarProgram;
  readonly plan: Plan;
  readonly settings: Settings;
  readonly gates: Gates;
  readonly kube: KubeAccess | undefined;
  readonly session: DriverSession | undefined;
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** A bucket of its own: the questions of a start never delay work. */
const reportLimit = { qps: 20, burst: 50 };

/** Says what is missing around the process as soon as the driver is known. Nothing waits for it; its code is loaded for it alone. */
export async function startReport(options: StartReportOptions): Promise<void> {
  const { program, plan, settings, gates, kube, session, env, clock, log, signal } = options;
  const period = session && (await session.ready(signal));
  if (signal.aborted) return;
  const namespace = namespaceOf(env);
  const { reportAtStart } = await import("../report/report-at-start.ts");
  await reportAtStart(
    {
      ...{ program, namespace, clock, signal },
      components: plan.enabled.map((component) => ({ component, rules: neededRules(component.rbac(settings.of(component)), gates) })),
      ...(plan.elected.length > 0 && { leaseNamespace: settings.process.leaderElectionNamespace || namespace }),
      ...(kube && { kube: kube.client("report", reportLimit, log, () => true) }),
      ...(session && period && { driver: driverOf(session, plan) }),
    },
    log,
  );
}

function driverOf(session: DriverSession, plan: Plan) {
  const kinds = plan.driver === "ready" ? (["plugin", "controller"] as const) : [];
  return { identity: { name: session.name }, capabilities: session.capabilities, kinds };
}
