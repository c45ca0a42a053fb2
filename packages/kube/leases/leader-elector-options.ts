import type { Clock, Logger } from "@csi-sidecars/base";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { V1Lease } from "../resources.ts";
import type { ElectionMetrics } from "./election-metrics.ts";
import type { LeaseClient } from "./lease-lock.ts";
import type { LeaseWriter } from "./lease-writer.ts";

/** client-go's LeaderElectionConfig. */
export interface LeaderElectorOptions {
  /** A separate client: an election that waits for the rate limit tokens of the work loses its lease. */
  readonly client: LeaseClient;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  /** This process as a writer of the Lease: shared by all electors that it ever has for it. Default: this elector's own. */
  readonly writer?: LeaseWriter;
  readonly timing?: ElectionTiming;
  /** Called when the election ends while leading: whether all work under the lease has ended, so that it may be released. Default: never. */
  readonly mayRelease?: () => boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly events?: EventRecorder;
  readonly metrics?: ElectionMetrics;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly random?: () => number;
  /** Leadership starts. `lease` is the Lease as acquired; the signal aborts when leadership ends. Must not throw. */
  onStartedLeading?(lease: V1Lease, signal: AbortSignal): void;
  /** Leadership ended; called before a release. */
  onStoppedLeading?(): void;
  /** The Lease has changed, whoever wrote it. */
  onObserved?(lease: V1Lease): void;
}

/** How `LeaderElector.run` ended. */
export type ElectionEnd =
  /** Stopped by its signal; the lease was released. */
  | { readonly reason: "released" }
  /** Stopped by its signal, without ever leading or without releasing the lease. */
  | { readonly reason: "cancelled" }
  /** The lease could not be renewed: another candidate may lead. */
  | { readonly reason: "lost"; readonly because: string };

/** The three durations of a leader election, in milliseconds. */
export interface ElectionTiming {
  /** How long other candidates wait after the last renewal they saw. Written to the Lease in whole seconds. */
  readonly leaseDurationMs: number;
  /** How long after its last confirmed renewal a leader gives up. */
  readonly renewDeadlineMs: number;
  /** Between two attempts. */
  readonly retryPeriodMs: number;
}

/** The defaults of the CSI sidecars' `--leader-election-*` flags. */
export const defaultElectionTiming: ElectionTiming = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 5_000 };

/** client-go's JitterFactor: a candidate waits up to this much more than the retry period. */
export const jitterFactor = 1.2;

/** How long before others may take over a leader must not act any more: upstream's see renewals with the precision of a second. */
const safetyMs = 1_000;

/** How long after its last renewal a leader may act. The duration is written to the Lease in whole seconds. */
export function mayActForMs({ leaseDurationMs }: ElectionTiming): number {
  return Math.trunc(leaseDurationMs / 1000) * 1000 - safetyMs;
}

/** How long after its last renewal a leader ceases to lead: work that is refused because it may not act is not done in the same term. */
export function givesUpAfterMs(timing: ElectionTiming): number {
  return Math.min(timing.renewDeadlineMs, mayActForMs(timing));
}

/** Why these durations are invalid, in upstream's words where upstream refuses them too; `undefined` when they are valid. */
export function timingProblem(timing: ElectionTiming): string | undefined {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = timing;
  if (leaseDurationMs <= renewDeadlineMs) return "leaseDuration must be greater than renewDeadline";
  if (renewDeadlineMs <= jitterFactor * retryPeriodMs) return "renewDeadline must be greater than retryPeriod*JitterFactor";
  if (leaseDurationMs <= 0) return "leaseDuration must be greater than zero";
  if (renewDeadlineMs <= 0) return "renewDeadline must be greater than zero";
  if (retryPeriodMs <= 0) return "retryPeriod must be greater than zero";
  if (mayActForMs(timing) <= 0) return "leaseDuration must be at least 2s: a leader acts until one second before its lease expires";
  if (mayActForMs(timing) <= retryPeriodMs)
    return "leaseDuration in whole seconds must be greater than retryPeriod + 1s: a leader acts until one second before its lease expires";
  return undefined;
}

/** Upstream's form of a Lease name or holder identity: anything but letters, digits and dashes becomes a dash, and none may be last. */
export function sanitizeName(name: string): string {
  const sanitized = name.replace(/[^a-zA-Z0-9-]/g, "-");
  return sanitized.endsWith("-") ? `${sanitized}X` : sanitized;
}

/** The names under which a candidate takes part in an election. */
export interface ElectionNames {
  readonly leaseName: string;
  readonly identity: string;
  /** The source component of the election's events: the names are not sanitized. */
  readonly eventSource: string;
}

/** The names upstream derives from a lock name (`external-attacher-leader-<driver>`) and a host name. */
export function electionNames(lockName: string, hostName: string): ElectionNames {
  return { leaseName: sanitizeName(lockName), identity: sanitizeName(hostName), eventSource: `${lockName}/${hostName}` };
}
