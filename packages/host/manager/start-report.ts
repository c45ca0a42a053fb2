import type { Clock, Logger } from "@csi-sidecars/base";
import type { DriverCapabilities } from "@csi-sidecars/csi";
import { type Client, namespaceOf } from "@csi-sidecars/kube";
import type { Component } from "../component.ts";
import type { DriverSession } from "../driver/driver-session.ts";
import type { KubeAccess } from "../kube/kube-access.ts";
import type { PlannedProcess, ProcessPlan } from "../program/plan-process.ts";
import type { SidecarProgram } from "../program/sidecar-program.ts";
import { neededRules, type RbacRules } from "../rbac-rules.ts";

/** What a process that starts has to work with. */
export interface Surroundings {
  readonly program: Pick<SidecarProgram, "name" | "version">;
  /** The enabled components with the rules that they need. */
  readonly components: readonly { readonly component: Component; readonly rules: RbacRules }[];
  /** The pod's. */
  readonly namespace: string;
  /** Where the lease is; absent without leader election. */
  readonly leaseNamespace?: string;
  /** Absent where no component talks to the API server. */
  readonly kube?: Client;
  /** The driver, and which of its capabilities the components depend on; absent where no component talks to it. */
  readonly driver?: {
    readonly name: string;
    readonly capabilities: DriverCapabilities;
    readonly kinds: readonly (keyof DriverCapabilities)[];
  };
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Logs what is missing around a process that starts. Nothing waits for it. */
export type StartReport = (surroundings: Surroundings, log: Logger) => Promise<void>;

interface StartReportParts {
  readonly kube: KubeAccess | undefined;
  readonly session: DriverSession | undefined;
  readonly signal: AbortSignal;
}

/** A token bucket of its own: the report never delays work. */
const reportLimit = { qps: 20, burst: 50 };

/** Calls the program's start report, if it has one, as soon as the driver is known. */
export async function reportStart(process: PlannedProcess, { kube, session, signal }: StartReportParts): Promise<void> {
  const { program, plan, settings, gates, processEnv, log } = process;
  if (!program.startReport) return;
  const period = session && (await session.ready(signal));
  if (signal.aborted) return;
  const namespace = namespaceOf(processEnv.env);
  await program.startReport(
    {
      ...{ program, namespace, clock: processEnv.clock, signal },
      components: plan.enabled.map((component) => ({ component, rules: neededRules(component.rbac(settings.of(component)), gates) })),
      ...(plan.elected.length > 0 && { leaseNamespace: settings.process.leaderElectionNamespace || namespace }),
      ...(kube && { kube: kube.client("report", reportLimit, log, () => true) }),
      ...(session && period && { driver: driverOf(session, plan) }),
    },
    log,
  );
}

function driverOf({ name, capabilities }: DriverSession, plan: ProcessPlan): Surroundings["driver"] & object {
  return { name, capabilities, kinds: plan.driver === "ready" ? ["plugin", "controller"] : [] };
}
