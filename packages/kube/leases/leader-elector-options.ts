import type { Clock, Logger } from "@csi-sidecars/base";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { V1Lease } from "../resources.ts";
import type { ElectionMetrics } from "./election-metrics.ts";
import type { LeaseClient } from "./lease-lock.ts";

/** client-go's LeaderElectionConfig. */
export interface LeaderElectorOptions {
  /** A separate client: an election that waits for the rate limit tokens of the work loses its lease. */
  readonly client: LeaseClient;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly identity: string;
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
  /** How long a leader retries a renewal before it gives up. */
  readonly renewDeadlineMs: number;
  /** Between two attempts. */
  readonly retryPeriodMs: number;
}

/** The defaults of the CSI sidecars' `--leader-election-*` flags. */
export const defaultElectionTiming: ElectionTiming = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 5_000 };

/** client-go's JitterFactor: a candidate waits up to this much more than the retry period. */
export const jitterFactor = 1.2;

/** Why these durations are invalid, in upstream's words; `undefined` when they are valid. */
export function timingProblem({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: ElectionTiming): string | undefined {
  if (leaseDurationMs <= renewDeadlineMs) return "leaseDuration must be greater than renewDeadline";
  if (renewDeadlineMs <= jitterFactor * retryPeriodMs) return "renewDeadline must be greater than retryPeriod*JitterFactor";
  if (leaseDurationMs <= 0) return "leaseDuration must be greater than zero";
  if (renewDeadlineMs <= 0) return "renewDeadline must be greater than zero";
  if (retryPeriodMs <= 0) return "retryPeriod must be greater than zero";
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
