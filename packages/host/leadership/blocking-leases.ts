import type { Clock, Logger } from "@csi-sidecars/base";
import { type EventRecorder, involved, Lease, type V1Lease } from "@csi-sidecars/kube";
import type { LegacyLease } from "./leadership.ts";
import type { LegacyLeaseState } from "./seize-lease.ts";

/** A legacy lease that keeps this process from leading, and why. */
export interface BlockingLease {
  readonly lease: LegacyLease;
  readonly obstacle: Extract<LegacyLeaseState, { state: "held" | "refused" }>;
}

/** The leases of a round that block. */
export function blockingLeases(leases: readonly LegacyLease[], states: readonly LegacyLeaseState[]): readonly BlockingLease[] {
  return leases.flatMap((lease, at) => {
    const obstacle = states[at];
    return obstacle?.state === "held" || obstacle?.state === "refused" ? [{ lease, obstacle }] : [];
  });
}

export function obstacleText({ lease, obstacle }: BlockingLease, namespace: string): string {
  const what = `legacy leader election lease ${namespace}/${lease.name}`;
  return obstacle.state === "held" ? `${what} is held by "${obstacle.holder}"` : `${what} cannot be checked`;
}

/** What the user is to know and to do about it. */
export function instruction(blocking: BlockingLease, namespace: string, next: "restart" | "wait"): string {
  const { lease, obstacle } = blocking;
  const what = obstacleText(blocking, namespace);
  const then = next === "restart" ? "then restart" : "then this process continues by itself";
  if (obstacle.state === "held") {
    return `${what} and still being renewed: scale down the deployment running the legacy ${lease.sidecar}, ${then}`;
  }
  return (
    `${what}: allow get and update of leases in that namespace, ${then}; ` +
    `or set --leader-election-migration=skip if no legacy ${lease.sidecar} runs any more (${obstacle.reason})`
  );
}

export interface ReportOptions {
  readonly namespace: string;
  readonly log: Logger;
  readonly events?: EventRecorder;
  /** The consolidated lease: what the events are about. */
  lease(): V1Lease;
  readonly writeTerminationLog: (message: string) => void;
}

/** Reports in the log, as events and, when the process is about to end because of it (`restart`), in the termination log; returns the text. */
export function reportBlocking(blocking: readonly BlockingLease[], next: "restart" | "wait", options: ReportOptions): string {
  const messages = blocking.map((each) => instruction(each, options.namespace, next));
  for (const message of messages) {
    options.log.error(undefined, message);
    options.events?.event(involved(Lease, options.lease()), "Warning", "LegacyLeaseHeld", message);
  }
  const text = messages.join("\n");
  if (next === "restart") options.writeTerminationLog(text);
  return text;
}

const repeatMs = 60_000;

/** Lets the same text pass once a minute, and every other at once: for a problem that is found in every round. */
export function logThrottle(clock: Clock): { isDue(text: string): boolean } {
  let last: { readonly text: string; readonly at: number } | undefined;
  return {
    isDue(text) {
      const now = clock.monotonic();
      if (last?.text === text && now - last.at < repeatMs) return false;
      last = { text, at: now };
      return true;
    },
  };
}
