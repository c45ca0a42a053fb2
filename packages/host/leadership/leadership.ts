import type { Clock, Logger } from "@csi-sidecars/base";
import type { Registry } from "@csi-sidecars/base/prometheus";
import type { ElectionMetrics, ElectionTiming, EventRecorder, LeaseClient, LeaseWriter } from "@csi-sidecars/kube";

/** The lease of a sidecar that ran in a process of its own. */
export interface LegacyLease {
  readonly controller: string;
  /** The program that holds it, for the instruction to the user: `csi-attacher`. */
  readonly sidecar: string;
  /** Sanitised. */
  readonly name: string;
}

export interface LeadOptions {
  /** A client with its own token bucket: an election that waits behind the work loses its lease. */
  readonly client: LeaseClient;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** The sanitised host name. */
  readonly identity: string;
  /** This process as a writer of the lease: the same one in each attempt to lead, so that it knows what it wrote before. */
  readonly writer?: LeaseWriter;
  readonly timing: ElectionTiming;
  readonly labels: Readonly<Record<string, string>>;
  /** The components that share the lease, for its annotation and the warning about others that use its name; absent where one has it to itself. */
  readonly controllers?: readonly string[];
  /** The legacy leases to seize before the first term of a process begins, and to watch afterwards; absent: none. */
  readonly migration?: { readonly mode: "exit" | "wait"; readonly leases: readonly LegacyLease[] };
  /** Asked once when the election ends while leading: whether all work under the lease has ended. */
  readonly mayRelease: () => boolean;
  /** Writes where the kubelet looks for the reason of an exit. */
  readonly writeTerminationLog: (message: string) => void;
  readonly events?: EventRecorder;
  readonly metrics?: ElectionMetrics;
  /** For metrics of its own (`csi_sidecars_legacy_lease_held`). */
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
  /** Ends the election; a leader's work must have stopped before. */
  readonly signal: AbortSignal;
  /**
   * The elected components may run: the lease is ours and no legacy sidecar runs. The signal aborts when leadership
   * ends, for whatever reason. Called at most once for each call of `lead`. Must not throw.
   */
  started(signal: AbortSignal): void;
}

export type LeadershipEnd =
  /** Asked to end; the lease was released. */
  | { readonly reason: "released" }
  /** Asked to end, without ever leading or without releasing the lease. */
  | { readonly reason: "cancelled" }
  /** The lease could not be kept: what that means is up to the loss policy. */
  | { readonly reason: "lost"; readonly because: string }
  /** A legacy sidecar runs: the process must end. Everything was logged and released. */
  | { readonly reason: "legacy"; readonly because: string };

/** One attempt to lead, with at most one term. */
export interface Leadership {
  /** Whether nobody else can lead at this very moment. */
  mayAct(): boolean;
  /** For health checks: what is wrong with a leader that does not renew. */
  check(): Error | undefined;
  /** For health checks: why no term has begun yet. */
  waitingFor(): string;
  /** Settles when the attempt is over; never rejects. */
  readonly ended: Promise<LeadershipEnd>;
}

/** Runs for the lease, once. After a loss the caller may call it again. */
export type Lead = (options: LeadOptions) => Leadership;
