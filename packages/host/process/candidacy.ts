import { electionNames, namespaceOf, sanitizeName } from "@csi-sidecars/kube";
import type { ProcessValues } from "../flags/standard-flags.ts";
import type { LeadOptions } from "../leadership/leadership.ts";
import type { OutsideWorld } from "./outside-world.ts";
import type { Plan } from "./plan.ts";
import type { SidecarProgram } from "./sidecar-program.ts";

/** How this process appears in its election. */
export interface Candidacy extends Pick<LeadOptions, "lease" | "identity" | "timing" | "labels" | "controllers" | "migration"> {
  /** The source component of the election's events. */
  readonly eventSource: string;
}

/** The lease of the all-in-one, or the one that upstream's program holds. `driver`: its name, if the process has one. */
export function candidacyOf(
  program: SidecarProgram,
  plan: Plan,
  flags: ProcessValues,
  { env, hostName }: Pick<OutsideWorld, "env" | "hostName">,
  driver: string | undefined,
): Candidacy {
  const shared = {
    timing: plan.timing,
    labels: Object.fromEntries(flags.leaderElectionLabels),
  };
  const namespace = flags.leaderElectionNamespace || namespaceOf(env);
  if (program.form === "individual") {
    const lock = plan.elected[0]?.legacyLease?.(driver ?? "") ?? program.name;
    const { leaseName, identity, eventSource } = electionNames(lock, hostName);
    return { ...shared, lease: { namespace, name: leaseName }, identity, eventSource };
  }
  const lock = driver === undefined ? program.name : `${program.name}-${driver}`;
  const { leaseName, identity, eventSource } = electionNames(lock, hostName);
  const mode = flags.leaderElectionMigration === "auto" ? (plan.answersForDriver ? "wait" : "exit") : flags.leaderElectionMigration;
  const leases = plan.elected.flatMap(({ name: controller, standalone: sidecar, legacyLease }) =>
    legacyLease ? [{ controller, sidecar, name: sanitizeName(legacyLease(driver ?? "")) }] : [],
  );
  return {
    ...shared,
    lease: { namespace, name: flags.leaderElectionLeaseName || leaseName.toLowerCase() },
    identity,
    eventSource,
    controllers: plan.elected.map(({ name }) => name),
    ...(mode !== "skip" && { migration: { mode, leases } }),
  };
}
