import { type ElectionTiming, timingProblem } from "@csi-sidecars/kube";
import type { Component, DriverNeed } from "../component.ts";
import type { Settings } from "../flags/resolve.ts";
import type { SidecarProgram } from "./sidecar-program.ts";

/** What a command line asks of this process, as far as it does not depend on the driver or the cluster. */
export interface Plan {
  readonly enabled: readonly Component[];
  readonly alone: boolean;
  /** The most that any component needs to know of the driver. */
  readonly driver: DriverNeed;
  /** The components that run in the leader only; empty without an election. */
  readonly elected: readonly Component[];
  readonly timing: ElectionTiming;
  readonly needsKube: boolean;
  /** The process must outlive its driver. */
  readonly answersForDriver: boolean;
  readonly lossPolicy: "exit" | "restart";
  /** A driver that does not say its name ends the process, as it ends every upstream program. */
  readonly exitUnlessMet: boolean;
  readonly identityTimeoutMs: number;
  readonly probeTimeoutMs: number;
  readonly problems: readonly string[];
}

const needs: readonly DriverNeed[] = ["none", "unknown", "named", "ready"];
const patientTimeoutMs = 10_000;
const timingFlags = "--leader-election-lease-duration, --leader-election-renew-deadline, --leader-election-retry-period";

export function planOf(program: SidecarProgram, settings: Settings): Plan {
  const { process } = settings;
  const enabled = program.components.filter(({ name }) => settings.enabled.includes(name));
  const answersForDriver = enabled.some((component) => component.answersForDriver);
  const elected = process.leaderElection ? enabled.filter(({ leadership }) => leadership === "required") : [];
  const own = highest(enabled.map(({ driver }) => driver));
  const timing: ElectionTiming = {
    leaseDurationMs: process.leaderElectionLeaseDuration,
    renewDeadlineMs: process.leaderElectionRenewDeadline,
    retryPeriodMs: process.leaderElectionRetryPeriod,
  };
  const timingIssue = elected.length > 0 ? timingProblem(timing) : undefined;
  const identityTimeoutMs = longest(
    enabled.map((component) => component.identityTimeoutMs?.(settings.of(component))),
    patientTimeoutMs,
  );
  const ready = enabled.filter(({ driver }) => driver === "ready");
  const lossPolicy = process.lossPolicy === "auto" ? (answersForDriver ? "restart" : "exit") : process.lossPolicy;
  return {
    enabled,
    alone: enabled.length === 1,
    // The lease is named after the driver.
    driver: elected.length > 0 && own !== "none" ? highest([own, "named"]) : own,
    elected,
    timing,
    needsKube: enabled.some(({ kube }) => kube),
    answersForDriver,
    lossPolicy,
    exitUnlessMet: program.form === "individual" || (lossPolicy === "exit" && own !== "unknown"),
    identityTimeoutMs,
    probeTimeoutMs: longest(
      ready.map((component) => numberAt(settings.of(component), "timeout")),
      identityTimeoutMs,
    ),
    problems: timingIssue === undefined ? [] : [`${timingFlags}: ${timingIssue}`],
  };
}

/** A component's value under a name that many components share; `undefined` where it has no such flag. */
export function numberAt(values: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = values[name];
  return typeof value === "number" ? value : undefined;
}

function highest(all: readonly DriverNeed[]): DriverNeed {
  return needs[Math.max(0, ...all.map((need) => needs.indexOf(need)))] ?? "none";
}

function longest(all: readonly (number | undefined)[], otherwise: number): number {
  const known = all.filter((ms) => ms !== undefined);
  return known.length > 0 ? Math.max(...known) : otherwise;
}
