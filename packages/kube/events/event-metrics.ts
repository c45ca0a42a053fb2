import { Counter, Gauge, type Registry } from "@csi-sidecars/base/prometheus";

/** What became of an event. */
export type EventOutcome =
  | "sent"
  /** The spam filter dropped it. */
  | "filtered"
  /** The API server refused it. */
  | "rejected"
  /** The API server could not be reached; retries were used up. */
  | "unreachable"
  /** Too many events waited, or too large ones. */
  | "overflow"
  /** It was still waiting at shutdown. */
  | "shutdown";

export interface EventMetrics {
  ended(outcome: EventOutcome): void;
  /** Sets what the gauge reads at every scrape. */
  watchWaiting(waiting: () => number): void;
}

/** Registers `event_recorder_events_total` and `event_recorder_waiting_events`. */
export function eventMetrics(registry: Registry): EventMetrics {
  const registers = [registry];
  const ends = new Counter({
    name: "event_recorder_events_total",
    help: "[ALPHA] Events recorded, by how their way to the API server ended",
    labelNames: ["outcome"],
    registers,
  });
  let read = () => 0;
  new Gauge({
    name: "event_recorder_waiting_events",
    help: "[ALPHA] Events that wait to be written to the API server",
    registers,
    collect() {
      this.set(read());
    },
  });
  return {
    ended: (outcome) => ends.inc({ outcome }),
    watchWaiting(waiting) {
      read = waiting;
    },
  };
}
