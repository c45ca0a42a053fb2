import { writeTerminationLog } from "@csi-sidecars/base";
import type { Registry } from "@csi-sidecars/base/prometheus";
import { type ElectionMetrics, electionMetrics, LeaseWriter } from "@csi-sidecars/kube";
import { alwaysPresent } from "../driver/driver-presence.ts";
import type { DriverSession } from "../driver/driver-session.ts";
import type { Gates } from "../gates/feature-gates.ts";
import type { KubeAccess } from "../kube/kube-access.ts";
import type { Election } from "../leadership/election.ts";
import { Elections } from "../leadership/elections.ts";
import { LeaderTerms, type LeaderTermsOptions } from "../leadership/leader-terms.ts";
import { leaseIdentity } from "../leadership/lease-identity.ts";
import type { PlannedProcess } from "../program/plan-process.ts";
import type { Shutdown } from "./shutdown.ts";

export interface ElectionParts {
  readonly kube: KubeAccess;
  readonly session: DriverSession | undefined;
  readonly registry: Registry;
  readonly shutdown: Shutdown;
}

/** The elections that a process takes part in. It runs for each lease when the first component asks for a term of it. */
export function openElections(process: PlannedProcess, parts: ElectionParts): Elections {
  const { elections } = process.plan;
  if (elections.length === 0) return new Elections(new Map());
  const metrics = electionMetrics(parts.registry);
  return new Elections(new Map(elections.map((election) => [election, openElection(process, election, parts, metrics)])));
}

/** An election of one component waits for no driver, and gives nothing up for one. */
function openElection(
  process: PlannedProcess,
  election: Election,
  { kube, session, registry, shutdown }: ElectionParts,
  metrics: ElectionMetrics,
): LeaderTerms {
  const { settings, gates, processEnv, log } = process;
  const { clock, random } = processEnv;
  const isOwn = election.ownLock !== undefined;
  const needsDriver = election.components.some((component) => component.driver === "ready");
  return new LeaderTerms({
    ...{ lead: processEnv.lead, lossPolicy: lossPolicy(process, election), clock, log },
    drainTimeoutMs: settings.process.shutdownTimeout,
    release: releases(gates, isOwn),
    driver: (needsDriver ? session?.presence : undefined) ?? alwaysPresent,
    fatal: (reason) => shutdown.fatal(reason),
    blocked: (reason) => shutdown.failReported(reason),
    leadOptions: async (signal) => {
      const driver = isOwn ? undefined : await session?.named(signal);
      if (signal.aborted) return undefined;
      const { eventSource, ...identity } = leaseIdentity(process, election, driver);
      return {
        ...identity,
        ...{ client: kube.election(), metrics, registry, clock, log, random },
        writer: new LeaseWriter(processEnv.holderProcess),
        events: kube.events.recorder(eventSource, log),
        writeTerminationLog: (message) => writeTerminationLog(processEnv.terminationLog, message, log),
      };
    },
  });
}

/** A lease of one component is nothing to the others of the process: they stay whatever happens to it. */
function lossPolicy({ plan }: PlannedProcess, { ownLock }: Election): LeaderTermsOptions["lossPolicy"] {
  return ownLock !== undefined && !plan.isOnlyComponent ? "contain" : plan.lossPolicy;
}

/** The gate is about upstream's sidecars, whose leases expire by default. One of a component's own is released unless the user refuses it. */
function releases(gates: Gates, isOwn: boolean): boolean {
  const gate = "ReleaseLeaderElectionOnExit";
  return gates.enabled(gate) || (isOwn && !gates.explicit(gate));
}
