import type { Clock, Logger } from "@csi-sidecars/base";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { V1Lease } from "../resources.ts";
import type { ElectionMetrics } from "./election-metrics.ts";
import type { ElectionTiming } from "./election-timing.ts";
import type { LeaseClient } from "./lease-lock.ts";

/** Who competes for which Lease, and who is told of it. */
export interface LeaderElectorOptions {
  /** A client of its own: an election that waits for the tokens of the work loses its lease. */
  readonly client: LeaseClient;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly timing?: ElectionTiming;
  /** Asked when the election ends while leading: whether all work under the lease has ended, so that others may start at once. Never, unless told. */
  readonly mayRelease?: () => boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly events?: EventRecorder;
  readonly metrics?: ElectionMetrics;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly random?: () => number;
  /** Leadership begins. `lease` is what the acquiring write answered; the signal aborts when leadership ends. Must not throw. */
  onStartedLeading?(lease: V1Lease, signal: AbortSignal): void;
  /** Leadership ended; called before a release. */
  onStoppedLeading?(): void;
  /** Another holder than before was seen (ourselves included; empty after a release). */
  onNewLeader?(identity: string, lease: V1Lease): void;
  /** The Lease changed, by us or by others. */
  onObserved?(lease: V1Lease): void;
}

/** How a candidacy ended. */
export type ElectionEnd =
  /** Asked to end; the lease was given back. */
  | { readonly reason: "released" }
  /** Asked to end, without ever leading or without giving the lease back. */
  | { readonly reason: "cancelled" }
  /** The lease could not be kept: others may lead. */
  | { readonly reason: "lost"; readonly because: string };
