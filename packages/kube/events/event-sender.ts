import type { Clock, Logger, Timer } from "@csi-sidecars/base";
import { LinkedList, type LinkedNode } from "../queue/linked-list.ts";
import { DroppedEventsLog } from "./dropped-events-log.ts";
import type { CorrelatedEvent } from "./event-correlator.ts";
import type { EventMetrics, EventOutcome } from "./event-metrics.ts";
import { type EventClient, type WriteResult, writeEvent } from "./event-sink.ts";
import { concurrentWrites, defaultMaxWaiting, maxWaitingBytes, usualConcurrency } from "./event-throttle.ts";

export interface EventSenderOptions {
  readonly client: EventClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly metrics?: EventMetrics;
  /** Whether the API server is busy with work that events must not slow down; default never. */
  readonly working?: (() => boolean) | undefined;
  /** Waiting events beyond which the oldest are dropped; default {@link defaultMaxWaiting}. */
  readonly maxWaiting?: number | undefined;
}

/** How often events that are held back check whether the work has paused. */
const recheckMs = 100;
const maxTries = 12;
const retryMs = 10_000;
const tooManyBytes = `the events that wait for the API server have more than ${maxWaitingBytes / 1024 / 1024} MiB of messages`;

/** The events about one object, in the order they happened. Only the first is ever being sent. */
interface ObjectQueue extends LinkedNode<ObjectQueue> {
  readonly key: string;
  readonly events: Waiting[];
  state: "ready" | "sending" | "backoff";
  /** One of them is a Warning: somebody waits for that. */
  urgent: boolean;
}

interface Waiting extends LinkedNode<Waiting> {
  readonly queue: ObjectQueue;
  readonly correlated: CorrelatedEvent;
  readonly since: number;
  /** Of its message. */
  readonly bytes: number;
  tries: number;
  retry: Timer | undefined;
}

/**
 * Writes events to the API server in the background. Events about one object keep their order; one that cannot be delivered is
 * retried later while those about other objects continue. Warnings are sent at once; the others may wait for the work to pause.
 */
export class EventSender {
  readonly #options: EventSenderOptions;
  readonly #dropped: DroppedEventsLog;
  readonly #maxWaiting: number;
  readonly #queues = new Map<string, ObjectQueue>();
  readonly #urgent = new LinkedList<ObjectQueue>();
  readonly #ready = new LinkedList<ObjectQueue>();
  /** Every event that is neither delivered nor dropped, oldest first. */
  readonly #waiting = new LinkedList<Waiting>();
  #waitingBytes = 0;
  readonly #abort = new AbortController();
  #sending = 0;
  #recheck: Timer | undefined;
  #closing = false;
  #emptied: (() => void) | undefined;

  constructor(options: EventSenderOptions) {
    this.#options = options;
    this.#dropped = new DroppedEventsLog(options.clock, options.log);
    this.#maxWaiting = options.maxWaiting ?? defaultMaxWaiting;
    options.metrics?.watchWaiting(() => this.#waiting.length);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  send(correlated: CorrelatedEvent): void {
    if (this.#closing) {
      this.#end("shutdown");
      return;
    }
    const bytes = Buffer.byteLength(correlated.event.message ?? "");
    const queue = this.#queueFor(correlated);
    const since = this.#options.clock.monotonic();
    const waiting: Waiting = { queue, correlated, since, bytes, tries: 0, retry: undefined, previous: undefined, next: undefined };
    queue.events.push(waiting);
    this.#waiting.push(waiting);
    this.#waitingBytes += bytes;
    if (this.#waiting.length > this.#maxWaiting) this.#dropOldest(`more than ${this.#maxWaiting} events wait for the API server`);
    while (this.#waitingBytes > maxWaitingBytes && this.#dropOldest(tooManyBytes));
    this.#pump();
  }

  #queueFor({ event: { involvedObject, type } }: CorrelatedEvent): ObjectQueue {
    const { uid, kind, namespace, name } = involvedObject;
    const key = uid ?? `${kind}/${namespace}/${name}`;
    const urgent = type === "Warning";
    const known = this.#queues.get(key);
    if (!known) {
      const queue: ObjectQueue = { key, events: [], state: "ready", urgent, previous: undefined, next: undefined };
      this.#queues.set(key, queue);
      this.#listFor(queue).push(queue);
      return queue;
    }
    if (urgent && !known.urgent) {
      if (known.state === "ready") this.#ready.remove(known);
      known.urgent = true;
      if (known.state === "ready") this.#urgent.push(known);
    }
    return known;
  }

  /** Makes one last attempt for every waiting event, for at most `deadlineMs`; what is left then is lost. */
  async close(deadlineMs: number): Promise<void> {
    this.#closing = true;
    for (const queue of this.#queues.values()) if (queue.state === "backoff") this.#makeReady(queue);
    this.#pump();
    if (this.#waiting.length > 0) {
      const deadline = Promise.withResolvers<void>();
      this.#emptied = deadline.resolve;
      const timer = this.#options.clock.after(deadlineMs, deadline.resolve);
      await deadline.promise;
      timer.cancel();
    }
    this.#recheck?.cancel();
    this.#abort.abort(new Error("the deadline for the last events has passed"));
    const left = this.#waiting.length;
    for (let i = 0; i < left; i++) this.#end("shutdown");
    this.#dropped.flush();
    if (left > 0) this.#options.log.info("Events were not delivered before shutdown", { events: left });
  }

  #pump(): void {
    if (this.#abort.signal.aborted) return;
    while (this.#urgent.first && this.#sending < Math.max(usualConcurrency, this.#concurrency())) this.#sendFrom(this.#urgent);
    while (this.#ready.first && this.#sending < this.#concurrency()) this.#sendFrom(this.#ready);
    if (this.#ready.first && this.#sending < usualConcurrency) this.#recheckLater();
  }

  #sendFrom(list: LinkedList<ObjectQueue>): void {
    const queue = list.first;
    const waiting = queue?.events[0];
    if (!queue || !waiting) return;
    list.remove(queue);
    void this.#write(queue, waiting);
  }

  #concurrency(): number {
    const working = !this.#closing && (this.#options.working?.() ?? false);
    return concurrentWrites({ waiting: this.#waiting.length, oldestMs: working ? this.#oldestMs() : 0, working });
  }

  #oldestMs(): number {
    for (const { queue, since } of this.#waiting) if (queue.state !== "sending") return this.#options.clock.monotonic() - since;
    return 0;
  }

  #recheckLater(): void {
    this.#recheck ??= this.#options.clock.after(recheckMs, () => {
      this.#recheck = undefined;
      this.#pump();
    });
  }

  #listFor(queue: ObjectQueue): LinkedList<ObjectQueue> {
    return queue.urgent ? this.#urgent : this.#ready;
  }

  async #write(queue: ObjectQueue, waiting: Waiting): Promise<void> {
    queue.state = "sending";
    waiting.tries++;
    this.#sending++;
    const result = await writeEvent(this.#options.client, waiting.correlated, this.#abort.signal);
    this.#sending--;
    if (this.#abort.signal.aborted) return;
    if (result.kind === "unreachable" && waiting.tries < maxTries && !this.#closing) this.#backOff(queue, waiting, result.error);
    else this.#settle(queue, waiting, result);
    this.#pump();
  }

  #backOff(queue: ObjectQueue, waiting: Waiting, error: unknown): void {
    const { clock, log, random } = this.#options;
    log.v(3).info("Unable to write event, will be retried", { event: waiting.correlated.event.metadata.name, error: String(error) });
    queue.state = "backoff";
    waiting.retry = clock.after(waiting.tries === 1 ? random() * retryMs : retryMs, () => {
      this.#makeReady(queue);
      this.#pump();
    });
  }

  #makeReady(queue: ObjectQueue): void {
    queue.events[0]?.retry?.cancel();
    queue.state = "ready";
    this.#listFor(queue).push(queue);
  }

  #settle(queue: ObjectQueue, waiting: Waiting, result: WriteResult): void {
    const { log } = this.#options;
    const event = waiting.correlated.event.metadata.name;
    this.#end(result.kind);
    if (result.kind === "unreachable") this.#dropped.add("the API server could not be reached");
    if (result.kind === "rejected") {
      if (result.expected) log.v(5).info("Server rejected event", { event, error: String(result.error) });
      else log.error(result.error, "Server rejected event (will not retry!)", { event });
    }
    this.#remove(queue, waiting);
    if (queue.events.length > 0) {
      queue.state = "ready";
      // Before those that came later.
      this.#listFor(queue).pushFirst(queue);
    }
    if (this.#waiting.length === 0) this.#emptied?.();
  }

  /**
   * Drops the oldest event that is not being sent; returns whether there was one. It is the first of its queue, since all before it
   * there are older.
   */
  #dropOldest(because: string): boolean {
    for (const waiting of this.#waiting) {
      const { queue } = waiting;
      if (queue.state === "sending" && queue.events[0] === waiting) continue;
      this.#end("overflow");
      this.#dropped.add(because);
      if (queue.state === "backoff") this.#makeReady(queue);
      this.#remove(queue, waiting);
      if (queue.events.length === 0) this.#listFor(queue).remove(queue);
      return true;
    }
    return false;
  }

  #remove(queue: ObjectQueue, waiting: Waiting): void {
    this.#waiting.remove(waiting);
    this.#waitingBytes -= waiting.bytes;
    queue.events.splice(queue.events.indexOf(waiting), 1);
    if (queue.events.length === 0) this.#queues.delete(queue.key);
  }

  #end(outcome: EventOutcome): void {
    this.#options.metrics?.ended(outcome);
  }
}
