import { electionNames, sanitizeName } from "@csi-sidecars/kube";
import type { PlannedProcess } from "../program/plan-process.ts";
import { processNamespaces } from "../program/process-namespaces.ts";
import type { Election } from "./election.ts";
import type { LeadOptions } from "./leadership.ts";

/** Which lease an election is about, and as whom the process takes part in it. */
export interface LeaseIdentity extends Pick<LeadOptions, "lease" | "identity" | "timing" | "labels" | "controllers" | "migration"> {
  /** The source component of the election's events. */
  readonly eventSource: string;
}

/** The lease that the components of an all-in-one program share. */
export function sharedLeaseName(program: string, driver: string | undefined): string {
  return sanitizeName(sharedLock(program, driver)).toLowerCase();
}

const sharedLock = (program: string, driver: string | undefined) => (driver === undefined ? program : `${program}-${driver}`);

/**
 * The lease that upstream's program holds where the election is that of one component or of an individual program; else the all-in-one's, which
 * replaces those of the components that share it. `driver`: its name, if the process has one.
 */
export function leaseIdentity(
  { program, plan, settings, processEnv }: Pick<PlannedProcess, "program" | "plan" | "settings" | "processEnv">,
  { components, ownLock }: Election,
  driver: string | undefined,
): LeaseIdentity {
  const flags = settings.process;
  const { env, hostName } = processEnv;
  const common = { timing: plan.timing, labels: Object.fromEntries(flags.leaderElectionLabels) };
  const { lease: namespace } = processNamespaces(env, flags);
  if (ownLock !== undefined || program.form === "individual") {
    const lock = ownLock ?? components[0]?.legacyLease?.(driver ?? "") ?? program.name;
    const { leaseName, identity, eventSource } = electionNames(lock, hostName);
    return { ...common, lease: { namespace, name: leaseName }, identity, eventSource };
  }
  const { identity, eventSource } = electionNames(sharedLock(program.name, driver), hostName);
  const mode = flags.leaderElectionMigration === "auto" ? (plan.servesDriverLiveness ? "wait" : "exit") : flags.leaderElectionMigration;
  const leases = components.flatMap(({ name: controller, standalone: sidecar, legacyLease }) =>
    legacyLease ? [{ controller, sidecar, name: sanitizeName(legacyLease(driver ?? "")) }] : [],
  );
  return {
    ...common,
    lease: { namespace, name: flags.leaderElectionLeaseName || sharedLeaseName(program.name, driver) },
    identity,
    eventSource,
    controllers: components.map(({ name }) => name),
    ...(mode !== "skip" && { migration: { mode, leases } }),
  };
}
