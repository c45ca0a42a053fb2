import { type Clock, type Logger, silentLogger, systemClock } from "@csi-sidecars/base";
import { refKey } from "../object.ts";
import { EventCorrelator } from "./event-correlator.ts";
import type { EventMetrics } from "./event-metrics.ts";
import { EventSender } from "./event-sender.ts";
import type { EventClient } from "./event-sink.ts";
import type { InvolvedObject } from "./involved-object.ts";
import { type EventType, eventNames, newEvent } from "./new-event.ts";

/** Tells users what happened to an object. Never waits, never throws: a lost event is better than work that fails because of one. */
export interface EventRecorder {
  event(about: InvolvedObject, type: EventType, reason: string, message: string): void;
}

export interface EventBroadcasterOptions {
  /** A client of its own, so that events take no tokens from the work. */
  readonly client: EventClient;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly metrics?: EventMetrics;
  readonly random?: () => number;
  /** Whether the API server is needed for work that events must not slow down. Never, unless told. */
  readonly working?: () => boolean;
  /** Events that wait before the oldest are given up; 50,000 unless told. */
  readonly mostWaiting?: number;
}

/**
 * Where the events of all components go through.
 *
 * ```ts
 * const events = broadcaster.recorder(`external-resizer ${driver}`, log);
 * events.event(involved(PersistentVolumeClaim, claim), "Normal", "Resizing", "External resizer is resizing volume pv-1");
 * ```
 */
export class EventBroadcaster {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: EventMetrics | undefined;
  readonly #sender: EventSender;
  readonly #newName: (involvedName: string) => string;
  readonly #correlators = new Map<string, EventCorrelator>();

  constructor(options: EventBroadcasterOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLogger;
    this.#metrics = options.metrics;
    this.#newName = eventNames(() => this.#clock.now(), options.random ?? Math.random);
    this.#sender = new EventSender({
      client: options.client,
      clock: this.#clock,
      log: this.#log,
      metrics: options.metrics,
      random: options.random ?? Math.random,
      working: options.working,
      mostWaiting: options.mostWaiting,
    });
  }

  /** A recorder that speaks as `component`. Each event is also a line in `log`. */
  recorder(component: string, log: Logger = this.#log): EventRecorder {
    const correlator = this.#correlators.get(component) ?? new EventCorrelator(this.#clock, this.#newName);
    this.#correlators.set(component, correlator);
    return {
      event: (about, type, reason, message) => {
        try {
          const { kind, apiVersion, fieldPath = "" } = about;
          log.info("Event occurred", { object: refKey(about), fieldPath, kind, apiVersion, type, reason, message });
          const event = newEvent({ component, about, type, reason, message }, this.#newName(about.name), this.#clock.now());
          const correlated = correlator.correlate(event);
          if (correlated) this.#sender.send(correlated);
          else this.#metrics?.ended("filtered");
        } catch (error) {
          this.#log.error(error, "Could not record event", { reason, message });
        }
      },
    };
  }

  /** Delivers what waits, for at most `deadlineMs`. Events recorded later are only logged. */
  async shutDown(deadlineMs: number): Promise<void> {
    await this.#sender.close(deadlineMs);
  }
}
