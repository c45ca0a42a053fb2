import { electionNames, sanitizeName } from "@csi-sidecars/kube";
import type { ProcessValues } from "../flags/standard-flags.ts";
import type { ProcessPlan } from "../program/plan-process.ts";
import type { ProcessEnv } from "../program/process-env.ts";
import { processNamespaces } from "../program/process-namespaces.ts";
import type { SidecarProgram } from "../program/sidecar-program.ts";
import type { LeadOptions } from "./leadership.ts";

/** Which lease a process runs for, and as whom. */
export interface LeaseIdentity extends Pick<LeadOptions, "lease" | "identity" | "timing" | "labels" | "controllers" | "migration"> {
  /** The source component of the election's events. */
  readonly eventSource: string;
}

/** The lease that the components of an all-in-one program share. */
export function sharedLeaseName(program: string, driver: string | undefined): string {
  return sanitizeName(sharedLock(program, driver)).toLowerCase();
}

const sharedLock = (program: string, driver: string | undefined) => (driver === undefined ? program : `${program}-${driver}`);

/** The lease of the all-in-one, or the one that upstream's program holds. `driver`: its name, if the process has one. */
export function leaseIdentity(
  program: SidecarProgram,
  plan: ProcessPlan,
  flags: ProcessValues,
  { env, hostName }: Pick<ProcessEnv, "env" | "hostName">,
  driver: string | undefined,
): LeaseIdentity {
  const shared = {
    timing: plan.timing,
    labels: Object.fromEntries(flags.leaderElectionLabels),
  };
  const { lease: namespace } = processNamespaces(env, flags);
  if (program.form === "individual") {
    const lock = plan.elected[0]?.legacyLease?.(driver ?? "") ?? program.name;
    const { leaseName, identity, eventSource } = electionNames(lock, hostName);
    return { ...shared, lease: { namespace, name: leaseName }, identity, eventSource };
  }
  const { identity, eventSource } = electionNames(sharedLock(program.name, driver), hostName);
  const mode = flags.leaderElectionMigration === "auto" ? (plan.servesDriverLiveness ? "wait" : "exit") : flags.leaderElectionMigration;
  const leases = plan.elected.flatMap(({ name: controller, standalone: sidecar, legacyLease }) =>
    legacyLease ? [{ controller, sidecar, name: sanitizeName(legacyLease(driver ?? "")) }] : [],
  );
  return {
    ...shared,
    lease: { namespace, name: flags.leaderElectionLeaseName || sharedLeaseName(program.name, driver) },
    identity,
    eventSource,
    controllers: plan.elected.map(({ name }) => name),
    ...(mode !== "skip" && { migration: { mode, leases } }),
  };
}
