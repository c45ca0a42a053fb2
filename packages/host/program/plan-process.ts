import type { Logger } from "@csi-sidecars/base";
import { type ElectionTiming, type Environment, timingProblem } from "@csi-sidecars/kube";
import type { Component, DriverNeed } from "../component.ts";
import { numberAt } from "../flags/flag.ts";
import type { Settings } from "../flags/resolve.ts";
import type { Gates } from "../gates/feature-gates.ts";
import { type Election, electionsOf, leaseNameProblems, sharedElection } from "../leadership/election.ts";
import type { ProcessEnv } from "./process-env.ts";
import type { SidecarProgram } from "./sidecar-program.ts";

/** What a command line asks of this process, as far as it does not depend on the driver or the cluster. */
export interface ProcessPlan {
  readonly enabled: readonly Component[];
  readonly isOnlyComponent: boolean;
  /** The most that any component needs to know of the driver. */
  readonly driver: DriverNeed;
  /** One for each lease that the process runs for. */
  readonly elections: readonly Election[];
  readonly timing: ElectionTiming;
  readonly needsKube: boolean;
  /** The process must outlive its driver. */
  readonly servesDriverLiveness: boolean;
  readonly lossPolicy: "exit" | "restart";
  /** A driver that does not answer with its name when the process starts ends it, as it ends upstream's programs. */
  readonly exitUnlessIdentified: boolean;
  readonly identityTimeoutMs: number;
  readonly probeTimeoutMs: number;
  readonly problems: readonly string[];
}

/** A process whose command line was understood: all that its manager is made of. */
export interface PlannedProcess {
  readonly program: SidecarProgram;
  readonly settings: Settings;
  readonly plan: ProcessPlan;
  readonly gates: Gates;
  readonly processEnv: ProcessEnv;
  /** The logger of which those of the components are made. */
  readonly root: Logger;
  /** The process's own. */
  readonly log: Logger;
}

const needs: readonly DriverNeed[] = ["none", "unknown", "named", "ready"];
const defaultTimeoutMs = 10_000;
const timingFlags = "--leader-election-lease-duration, --leader-election-renew-deadline, --leader-election-retry-period";

/** Decides what the flags ask of the process. */
export function planProcess(program: SidecarProgram, settings: Settings): ProcessPlan {
  const { process } = settings;
  const enabled = program.components.filter(({ name }) => settings.enabled.includes(name));
  const servesDriverLiveness = enabled.some((component) => component.servesDriverLiveness);
  const elections = process.leaderElection ? electionsOf(enabled) : [];
  const own = highest(enabled.map(({ driver }) => driver));
  const timing: ElectionTiming = {
    leaseDurationMs: process.leaderElectionLeaseDuration,
    renewDeadlineMs: process.leaderElectionRenewDeadline,
    retryPeriodMs: process.leaderElectionRetryPeriod,
  };
  const timingIssue = elections.length > 0 ? timingProblem(timing) : undefined;
  const identityTimeoutMs = maxOf(
    enabled.map((component) => component.identityTimeoutMs?.(settings.of(component))),
    defaultTimeoutMs,
  );
  const ready = enabled.filter(({ driver }) => driver === "ready");
  const outlivesDriver = servesDriverLiveness || program.form === "all-in-one";
  const lossPolicy = process.lossPolicy === "auto" ? (outlivesDriver ? "restart" : "exit") : process.lossPolicy;
  return {
    enabled,
    isOnlyComponent: enabled.length === 1,
    // The shared lease is named after the driver.
    driver: own !== "none" && sharedElection(elections) ? highest([own, "named"]) : own,
    elections,
    timing,
    needsKube: enabled.some(({ kube }) => kube),
    servesDriverLiveness,
    lossPolicy,
    exitUnlessIdentified: lossPolicy === "exit" && !servesDriverLiveness,
    identityTimeoutMs,
    probeTimeoutMs: maxOf(
      ready.map((component) => numberAt(settings.of(component), "timeout")),
      identityTimeoutMs,
    ),
    problems: [
      ...(timingIssue === undefined ? [] : [`${timingFlags}: ${timingIssue}`]),
      ...leaseNameProblems(elections, process.leaderElectionLeaseName),
    ],
  };
}

/** What the enabled components need of the environment and do not find there, one message each. */
export function missingEnvironment({ enabled }: ProcessPlan, settings: Settings, env: Environment): readonly string[] {
  return enabled.flatMap((one) => {
    const flagName = (flag: string) => settings.spelling(one.name, flag);
    return one.missingEnvironment?.(settings.of(one), { env, flagName }) ?? [];
  });
}

function highest(all: readonly DriverNeed[]): DriverNeed {
  return needs[Math.max(0, ...all.map((need) => needs.indexOf(need)))] ?? "none";
}

function maxOf(all: readonly (number | undefined)[], otherwise: number): number {
  const known = all.filter((ms) => ms !== undefined);
  return known.length > 0 ? Math.max(...known) : otherwise;
}
