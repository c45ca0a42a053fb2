import type { Clock, Logger, Timer } from "@csi-sidecars/base";
import { Lane, type Linked } from "../queue/lane.ts";
import type { CorrelatedEvent } from "./event-correlator.ts";
import type { EventMetrics, EventOutcome } from "./event-metrics.ts";
import { type EventClient, type WriteResult, writeEvent } from "./event-sink.ts";
import { LossLog } from "./loss-log.ts";

export interface EventSenderOptions {
  readonly client: EventClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly metrics?: EventMetrics;
}

/** Events that wait for the API server, before the oldest are given up. */
export const mostWaitingEvents = 10_000;
const writesAtOnce = 10;
const mostTries = 12;
const retryMs = 10_000;

/** The events about one object, in the order they happened. Only the first is ever on its way. */
interface Line extends Linked<Line> {
  readonly key: string;
  readonly events: Waiting[];
  state: "ready" | "sending" | "parked";
}

interface Waiting extends Linked<Waiting> {
  readonly line: Line;
  readonly correlated: CorrelatedEvent;
  tries: number;
  retry: Timer | undefined;
}

/**
 * Brings events to the API server without anybody waiting for it. Events about one object keep their order; one that cannot be
 * delivered is parked and tried again while those about other objects go on.
 */
export class EventSender {
  readonly #options: EventSenderOptions;
  readonly #losses: LossLog;
  readonly #lines = new Map<string, Line>();
  readonly #ready = new Lane<Line>();
  /** Every event not yet at its end, oldest first. */
  readonly #waiting = new Lane<Waiting>();
  readonly #abort = new AbortController();
  #sending = 0;
  #closing = false;
  #emptied: (() => void) | undefined;

  constructor(options: EventSenderOptions) {
    this.#options = options;
    this.#losses = new LossLog(options.clock, options.log);
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
    const { kind, namespace, name } = correlated.event.involvedObject;
    const key = `${kind}/${namespace}/${name}`;
    let line = this.#lines.get(key);
    if (!line) {
      line = { key, events: [], state: "ready", previous: undefined, next: undefined };
      this.#lines.set(key, line);
      this.#ready.push(line);
    }
    const waiting: Waiting = { line, correlated, tries: 0, retry: undefined, previous: undefined, next: undefined };
    line.events.push(waiting);
    this.#waiting.push(waiting);
    if (this.#waiting.length > mostWaitingEvents) this.#dropOldest();
    this.#pump();
  }

  /** One last try for everything that waits, until `deadlineMs` are over; what is left then is lost. */
  async close(deadlineMs: number): Promise<void> {
    this.#closing = true;
    for (const line of this.#lines.values()) if (line.state === "parked") this.#makeReady(line);
    this.#pump();
    if (this.#waiting.length > 0) {
      const deadline = Promise.withResolvers<void>();
      this.#emptied = deadline.resolve;
      const timer = this.#options.clock.after(deadlineMs, deadline.resolve);
      await deadline.promise;
      timer.cancel();
    }
    this.#abort.abort(new Error("the time to deliver the last events is over"));
    const left = this.#waiting.length;
    for (let i = 0; i < left; i++) this.#end("shutdown");
    if (left > 0) this.#options.log.info("Events were not delivered before the end", { events: left });
  }

  #pump(): void {
    for (let line = this.#ready.first; line && this.#sending < writesAtOnce && !this.#abort.signal.aborted; line = this.#ready.first) {
      this.#ready.remove(line);
      const first = line.events[0];
      if (first) void this.#write(line, first);
    }
  }

  async #write(line: Line, waiting: Waiting): Promise<void> {
    line.state = "sending";
    waiting.tries++;
    this.#sending++;
    const result = await writeEvent(this.#options.client, waiting.correlated, this.#abort.signal);
    this.#sending--;
    if (this.#abort.signal.aborted) return;
    if (result.kind === "unreachable" && waiting.tries < mostTries && !this.#closing) this.#park(line, waiting, result.error);
    else this.#settle(line, waiting, result);
    this.#pump();
  }

  #park(line: Line, waiting: Waiting, error: unknown): void {
    const { clock, log, random } = this.#options;
    log.v(3).info("Unable to write event, will be tried again", { event: waiting.correlated.event.metadata.name, error: String(error) });
    line.state = "parked";
    waiting.retry = clock.after(waiting.tries === 1 ? random() * retryMs : retryMs, () => {
      this.#makeReady(line);
      this.#pump();
    });
  }

  #makeReady(line: Line): void {
    line.events[0]?.retry?.cancel();
    line.state = "ready";
    this.#ready.push(line);
  }

  #settle(line: Line, waiting: Waiting, result: WriteResult): void {
    const { log } = this.#options;
    const event = waiting.correlated.event.metadata.name;
    this.#end(result.kind);
    if (result.kind === "unreachable") this.#losses.lost("the API server could not be reached");
    if (result.kind === "rejected") {
      if (result.expected) log.v(5).info("Server rejected event", { event, error: String(result.error) });
      else log.error(result.error, "Server rejected event (will not retry!)", { event });
    }
    this.#remove(line, waiting);
    if (line.events.length > 0) this.#makeReady(line);
    if (this.#waiting.length === 0) this.#emptied?.();
  }

  /** The oldest that is not on its way. It is the first of its line, since all before it there are older. */
  #dropOldest(): void {
    for (const waiting of this.#waiting) {
      const { line } = waiting;
      if (line.state === "sending" && line.events[0] === waiting) continue;
      this.#end("overflow");
      this.#losses.lost(`more than ${mostWaitingEvents} events wait for the API server`);
      if (line.state === "parked") this.#makeReady(line);
      this.#remove(line, waiting);
      if (line.events.length === 0) this.#ready.remove(line);
      return;
    }
  }

  #remove(line: Line, waiting: Waiting): void {
    this.#waiting.remove(waiting);
    line.events.splice(line.events.indexOf(waiting), 1);
    if (line.events.length === 0) this.#lines.delete(line.key);
  }

  #end(outcome: EventOutcome): void {
    this.#options.metrics?.ended(outcome);
  }
}
