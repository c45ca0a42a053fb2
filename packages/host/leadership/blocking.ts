import type { Logger } from "@csi-sidecars/base";
import { type EventRecorder, involved, Lease, type V1Lease } from "@csi-sidecars/kube";
import type { LegacyLease } from "./leadership.ts";
import type { Seizure } from "./seize.ts";

/** A legacy lease that keeps us from running, and why. */
export interface Blocking {
  readonly lease: LegacyLease;
  readonly obstacle: Extract<Seizure, { state: "held" | "refused" }>;
}

/** The leases of a round that make going on impossible. */
export function blockingIn(leases: readonly LegacyLease[], states: readonly Seizure[]): readonly Blocking[] {
  return leases.flatMap((lease, at) => {
    const obstacle = states[at];
    return obstacle?.state === "held" || obstacle?.state === "refused" ? [{ lease, obstacle }] : [];
  });
}

/** What the user is to know and to do. */
export function instruction({ lease, obstacle }: Blocking, namespace: string, next: "restart" | "wait"): string {
  const what = `legacy leader election lease ${namespace}/${lease.name}`;
  const then = next === "restart" ? "then restart" : "then this process goes on by itself";
  if (obstacle.state === "held") {
    return `${what} is held by "${obstacle.holder}" and still being renewed: scale down the deployment running the legacy ${lease.sidecar}, ${then}`;
  }
  return (
    `${what} cannot be checked: allow get and update of leases in that namespace, ${then}; ` +
    `or set --leader-election-migration=skip if no legacy ${lease.sidecar} runs any more (${obstacle.because})`
  );
}

export interface TellOptions {
  readonly namespace: string;
  readonly log: Logger;
  readonly events?: EventRecorder;
  /** The consolidated lease, that the events are about. */
  lease(): V1Lease;
  readonly writeTerminationLog: (message: string) => void;
}

/** Tells everywhere the user may look; answers the same text. `restart`: the process is about to end because of it. */
export function tellBlocking(blocking: readonly Blocking[], next: "restart" | "wait", options: TellOptions): string {
  const messages = blocking.map((each) => instruction(each, options.namespace, next));
  for (const message of messages) {
    options.log.error(undefined, message);
    options.events?.event(involved(Lease, options.lease()), "Warning", "LegacyLeaseHeld", message);
  }
  const text = messages.join("\n");
  if (next === "restart") options.writeTerminationLog(text);
  return text;
}
