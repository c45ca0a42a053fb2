import type { Clock } from "@csi-sidecars/base";
import { metav1Time } from "../object.ts";
import { PassiveBucket } from "../queue/rate-limiters.ts";
import type { NamedEvent } from "./event-object.ts";
import { LruCache } from "./lru-cache.ts";

/** What to write to the API server: the whole event, or for a repeated one only what changed. */
export interface CorrelatedEvent {
  readonly event: NamedEvent;
  /** Set when the event was recorded before under the same name. */
  readonly patch?: { readonly count: number; readonly lastTimestamp: string; readonly message: string };
}

interface SimilarEvents {
  /** Digests of the last different messages, oldest first. */
  readonly messages: number[];
  lastAt: number;
}

interface RecordedEvent {
  readonly name: string;
  readonly firstTimestamp: string | undefined;
  readonly count: number;
}

/** How many events are remembered beside those that are {@link EventCorrelator.repeated}. */
const cacheEntries = 4096;
const similarMessages = 10;
const similarWithinMs = 600_000;
const spamRate = { perSecond: 1 / 300, burst: 25 };

/**
 * client-go's EventCorrelator: keeps a busy object from flooding the API server. Many similar messages become one combined event
 * (aggregation), a repeated event increments the count of the first one, and beyond 25 events about one object only one in five
 * minutes passes (spam filter). Does no I/O. One per event source, so that sources do not evict each other from the caches.
 */
export class EventCorrelator {
  /** How many events the source repeats at present: they are remembered too, else each repetition beyond the cache is an event of its own. */
  repeated: () => number = () => 0;
  /** Whether the spam filter counts each reason of an object's events by itself. */
  filtersByReason = false;

  readonly #clock: Clock;
  readonly #newName: (involvedName: string) => string;
  readonly #similar: LruCache<number, SimilarEvents>;
  readonly #recorded: LruCache<number, RecordedEvent>;
  readonly #spam: LruCache<number, PassiveBucket>;

  constructor(clock: Clock, newName: (involvedName: string) => string) {
    this.#clock = clock;
    this.#newName = newName;
    const limit = () => cacheEntries + this.repeated();
    this.#similar = new LruCache(limit);
    this.#recorded = new LruCache(limit);
    this.#spam = new LruCache(limit);
  }

  /** `undefined` when the spam filter drops the event. It is counted all the same. */
  correlate(event: NamedEvent): CorrelatedEvent | undefined {
    const identity = identityOf(event);
    const { event: aggregated, key } = this.#aggregate(event, identity);
    const correlated = this.#count(aggregated, key);
    const isSpam = this.#isSpam(this.filtersByReason ? eventKey(String(identity), event.reason) : identity);
    return isSpam ? undefined : correlated;
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
    const time = metav1Time(this.#clock.now());
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
    const before = this.#recorded.get(key);
    const { name } = before ?? event.metadata;
    const firstTimestamp = before ? before.firstTimestamp : event.firstTimestamp;
    const count = (before?.count ?? 0) + 1;
    this.#recorded.set(key, { name, firstTimestamp, count });
    if (!before) return { event };
    return {
      event: { ...event, metadata: { ...event.metadata, name }, firstTimestamp, count },
      patch: { count, lastTimestamp: event.lastTimestamp ?? "", message: event.message ?? "" },
    };
  }

  #isSpam(key: number): boolean {
    const now = this.#clock.monotonic();
    let bucket = this.#spam.get(key);
    if (!bucket) {
      bucket = new PassiveBucket(spamRate, now);
      this.#spam.set(key, bucket);
    }
    return !bucket.tryTake(now);
  }
}

/** The involved object, the source and the type. */
function identityOf({ source, involvedObject: about, type }: NamedEvent): number {
  return eventKey(source?.component, source?.host, about.kind, about.namespace, about.name, about.uid, about.apiVersion, type);
}

/**
 * A 53-bit hash of the parts that identify an event. The caches hold thousands of keys, and the parts themselves are long (names,
 * uids, messages); with 20,000 entries a collision has a chance of one in forty million.
 */
function eventKey(...parts: readonly (string | undefined)[]): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (const part of parts) {
    // One round more than the part is long, for the separator.
    const length = part?.length ?? 0;
    for (let i = 0; i <= length; i++) {
      const code = part && i < length ? part.charCodeAt(i) : 0xffff;
      high = Math.imul(high ^ code, 0x9e3779b1);
      low = Math.imul(low ^ code, 0x5f356495);
    }
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (low & 0x1fffff) * 2 ** 32 + (high >>> 0);
}
