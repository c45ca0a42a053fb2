import { type Clock, type Logger, silentLogger, systemClock } from "@csi-sidecars/base";
import { refKey } from "../object.ts";
import { truncateMessage } from "../truncate-message.ts";
import { EventCorrelator } from "./event-correlator.ts";
import type { EventMetrics } from "./event-metrics.ts";
import type { InvolvedObject } from "./event-object.ts";
import { type EventType, eventNames, newEvent } from "./event-object.ts";
import { EventSender } from "./event-sender.ts";
import type { EventClient } from "./event-sink.ts";

/** A driver's error may have 64 KiB, and is repeated with every retry; what helps a reader is at its beginning. */
const maxMessageBytes = 16 * 1024;

/**
 * Records what happened to an object, with the first 16 KiB of the message. Never waits, never throws: a lost event is better than work
 * that fails because of one.
 */
export interface EventRecorder {
  event(about: InvolvedObject, type: EventType, reason: string, message: string): void;
}

export interface EventSourceOptions {
  /** How many events the source repeats at present; default none. Beyond some thousands their first ones are remembered only if counted here. */
  readonly repeated?: () => number;
  /**
   * Whether the spam filter counts each reason by itself; by default it counts all that the source says about an object. A reason that
   * is repeated for as long as something lasts would otherwise have the others dropped.
   */
  readonly filtersByReason?: boolean;
}

export interface EventBroadcasterOptions {
  /** A separate client, so that events take no rate limit tokens from the work. */
  readonly client: EventClient;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly metrics?: EventMetrics;
  readonly random?: () => number;
  /** Whether the API server is busy with work that events must not slow down; default never. */
  readonly working?: () => boolean;
  /** Waiting events beyond which the oldest are dropped; default 50,000. */
  readonly maxWaiting?: number;
}

/**
 * Correlates and sends the events of all components, like client-go's EventBroadcaster.
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
      maxWaiting: options.maxWaiting,
    });
  }

  /** A recorder with `component` as event source. Each event is also logged. */
  recorder(component: string, log: Logger = this.#log, { repeated, filtersByReason }: EventSourceOptions = {}): EventRecorder {
    const correlator = this.#correlators.get(component) ?? new EventCorrelator(this.#clock, this.#newName);
    if (repeated) correlator.repeated = repeated;
    if (filtersByReason) correlator.filtersByReason = filtersByReason;
    this.#correlators.set(component, correlator);
    return {
      event: (about, type, reason, text) => {
        const message = truncateMessage(text, maxMessageBytes);
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

  /** Delivers the waiting events, for at most `deadlineMs`. Events recorded later are only logged. */
  async shutDown(deadlineMs: number): Promise<void> {
    await this.#sender.close(deadlineMs);
  }
}
