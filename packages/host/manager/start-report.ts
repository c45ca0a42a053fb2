import { reportClient } from "../activity/work.ts";
import type { DriverSession } from "../driver/driver-session.ts";
import { neededKinds } from "../kind-need.ts";
import type { KubeAccess } from "../kube/kube-access.ts";
import { permittedUntil } from "../leadership/leader-permit.ts";
import type { PlannedProcess, ProcessPlan } from "../program/plan-process.ts";
import { processNamespaces } from "../program/process-namespaces.ts";
import type { StartReportInput } from "../program/sidecar-program.ts";
import { neededRules } from "../rbac-rules.ts";

interface StartReportParts {
  readonly kube: KubeAccess | undefined;
  readonly session: DriverSession | undefined;
  readonly signal: AbortSignal;
}

/** A token bucket of its own: the report never delays work, and that it waits is nobody's concern. */
const reportLimit = { qps: 20, burst: 50 };

/** Calls the program's start report, if it has one, as soon as the driver is known. */
export async function reportStart(process: PlannedProcess, { kube, session, signal }: StartReportParts): Promise<void> {
  const { program, plan, settings, gates, processEnv, log } = process;
  if (!program.startReport) return;
  const period = session && (await session.ready(signal));
  if (signal.aborted) return;
  const namespaces = processNamespaces(processEnv.env, settings.process);
  await program.startReport(
    {
      ...{ program, namespace: namespaces.objects, clock: processEnv.clock, signal },
      components: plan.enabled.map((component) => ({
        component,
        rules: neededRules(component.rbac(settings.of(component)), gates),
        kinds: neededKinds(component.kinds ?? [], gates),
      })),
      ...(plan.elections.length > 0 && { leaseNamespace: namespaces.lease }),
      ...(kube && { kube: kube.client(reportClient, reportLimit, log.v(4), permittedUntil(signal)) }),
      ...(session && period && { driver: driverOf(session, plan, signal) }),
    },
    log,
  );
}

function driverOf(session: DriverSession, plan: ProcessPlan, signal: AbortSignal): StartReportInput["driver"] & object {
  return {
    name: session.name,
    capabilities: session.calls.capabilities(signal),
    kinds: plan.driver === "ready" ? ["plugin", "controller"] : [],
  };
}
