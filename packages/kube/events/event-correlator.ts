import type { Clock } from "@csi-sidecars/base";
import { PassiveBucket } from "../queue/passive-bucket.ts";
import { eventKey } from "./event-key.ts";
import { LruCache } from "./lru.ts";
import { eventTime, type NamedEvent } from "./new-event.ts";

/** What the API server shall be told: the whole event, or for a repeated one only what changed. */
export interface CorrelatedEvent {
  readonly event: NamedEvent;
  /** Set when the event was told before under the same name. */
  readonly patch?: { readonly count: number; readonly lastTimestamp: string; readonly message: string };
}

interface Similar {
  /** Digests of the last different messages, oldest first. */
  readonly messages: number[];
  lastAt: number;
}

interface Told {
  readonly name: string;
  readonly firstTimestamp: string | undefined;
  readonly count: number;
}

const cacheEntries = 4096;
const similarMessages = 10;
const similarWithinMs = 600_000;
const spamRate = { perSecond: 1 / 300, burst: 25 };

/**
 * Keeps a busy object from flooding the API server, in three steps: many similar messages become one combined event, a repeated event
 * becomes a higher count of the first one, and beyond 25 events about one object only one in five minutes gets through.
 * Does no I/O; the clock is all it needs. One per source, so that sources do not push each other out of the caches.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #newName: (involvedName: string) => string;
  readonly #similar = new LruCache<number, Similar>(cacheEntries);
  readonly #told = new LruCache<number, Told>(cacheEntries);
  readonly #spam = new LruCache<number, PassiveBucket>(cacheEntries);

  constructor(clock: Clock, newName: (involvedName: string) => string) {
    this.#clock = clock;
    this.#newName = newName;
  }

  /** `undefined` when the event is one too many. It is counted all the same. */
  correlate(event: NamedEvent): CorrelatedEvent | undefined {
    const identity = identityOf(event);
    const { event: aggregated, key } = this.#aggregate(event, identity);
    const correlated = this.#count(aggregated, key);
    return this.#isSpam(identity) ? undefined : correlated;
  }

  #aggregate(event: NamedEvent, identity: number): { event: NamedEvent; key: number } {
    const aggregateKey = eventKey(String(identity), event.reason, event.reportingComponent, event.reportingInstance);
    const now = this.#clock.monotonic();
    let similar = this.#similar.get(aggregateKey);
    if (!similar || now - similar.lastAt > similarWithinMs) {
      similar = { messages: [], lastAt: now };
      this.#similar.set(aggregateKey, similar);
    }
    similar.lastAt = now;
    const message = eventKey(event.message);
    if (!similar.messages.includes(message)) similar.messages.push(message);
    if (similar.messages.length < similarMessages) {
      return { event, key: eventKey(String(identity), event.involvedObject.fieldPath, event.reason, event.message) };
    }
    similar.messages.shift();
    return { event: this.#combined(event), key: aggregateKey };
  }

  #combined(event: NamedEvent): NamedEvent {
    const { involvedObject, type, reason, source } = event;
    const time = eventTime(this.#clock.now());
    return {
      metadata: { name: this.#newName(involvedObject.name ?? ""), namespace: event.metadata.namespace },
      involvedObject,
      reason,
      message: `(combined from similar events): ${event.message}`,
      type,
      source,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
  }

  #count(event: NamedEvent, key: number): CorrelatedEvent {
    const before = this.#told.get(key);
    const { name } = before ?? event.metadata;
    const firstTimestamp = before ? before.firstTimestamp : event.firstTimestamp;
    const count = (before?.count ?? 0) + 1;
    this.#told.set(key, { name, firstTimestamp, count });
    if (!before) return { event };
    return {
      event: { ...event, metadata: { ...event.metadata, name }, firstTimestamp, count },
      patch: { count, lastTimestamp: event.lastTimestamp ?? "", message: event.message ?? "" },
    };
  }

  #isSpam(identity: number): boolean {
    const now = this.#clock.monotonic();
    let bucket = this.#spam.get(identity);
    if (!bucket) {
      bucket = new PassiveBucket(spamRate, now);
      this.#spam.set(identity, bucket);
    }
    return !bucket.tryTake(now);
  }
}

/** Which object it is about, who says it, and of what type it is. */
function identityOf({ source, involvedObject: about, type }: NamedEvent): number {
  return eventKey(source?.component, source?.host, about.kind, about.namespace, about.name, about.uid, about.apiVersion, type);
}
