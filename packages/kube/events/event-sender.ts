import type { Clock, Logger, Timer } from "@csi-sidecars/base";
import { Lane, type Linked } from "../queue/lane.ts";
import type { CorrelatedEvent } from "./event-correlator.ts";
import type { EventMetrics, EventOutcome } from "./event-metrics.ts";
import { mostWaitingEvents, usualWrites, writesAtOnce } from "./event-pace.ts";
import { type EventClient, type WriteResult, writeEvent } from "./event-sink.ts";
import { LossLog } from "./loss-log.ts";

export interface EventSenderOptions {
  readonly client: EventClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly metrics?: EventMetrics;
  /** Whether the API server is needed for work that events must not slow down. Never, unless told. */
  readonly working?: (() => boolean) | undefined;
  /** Events that wait before the oldest are given up; {@link mostWaitingEvents} unless told. */
  readonly mostWaiting?: number | undefined;
}

/** How often events that are held back look whether the work has paused. */
const lookAgainMs = 100;
const mostTries = 12;
const retryMs = 10_000;

/** The events about one object, in the order they happened. Only the first is ever on its way. */
interface Line extends Linked<Line> {
  readonly key: string;
  readonly events: Waiting[];
  state: "ready" | "sending" | "parked";
  /** One of them tells of trouble: somebody waits for that. */
  urgent: boolean;
}

interface Waiting extends Linked<Waiting> {
  readonly line: Line;
  readonly correlated: CorrelatedEvent;
  readonly since: number;
  tries: number;
  retry: Timer | undefined;
}

/**
 * Brings events to the API server without anybody waiting for it. Events about one object keep their order; one that cannot be
 * delivered is parked and tried again while those about other objects go on. Warnings are sent at once; the others may have to wait for
 * the work to pause.
 */
export class EventSender {
  readonly #options: EventSenderOptions;
  readonly #losses: LossLog;
  readonly #mostWaiting: number;
  readonly #lines = new Map<string, Line>();
  readonly #urgent = new Lane<Line>();
  readonly #ready = new Lane<Line>();
  /** Every event not yet at its end, oldest first. */
  readonly #waiting = new Lane<Waiting>();
  readonly #abort = new AbortController();
  #sending = 0;
  #look: Timer | undefined;
  #closing = false;
  #emptied: (() => void) | undefined;

  constructor(options: EventSenderOptions) {
    this.#options = options;
    this.#losses = new LossLog(options.clock, options.log);
    this.#mostWaiting = options.mostWaiting ?? mostWaitingEvents;
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
    const line = this.#lineFor(correlated);
    const since = this.#options.clock.monotonic();
    const waiting: Waiting = { line, correlated, since, tries: 0, retry: undefined, previous: undefined, next: undefined };
    line.events.push(waiting);
    this.#waiting.push(waiting);
    if (this.#waiting.length > this.#mostWaiting) this.#dropOldest();
    this.#pump();
  }

  #lineFor({ event: { involvedObject, type } }: CorrelatedEvent): Line {
    const { uid, kind, namespace, name } = involvedObject;
    const key = uid ?? `${kind}/${namespace}/${name}`;
    const urgent = type === "Warning";
    const known = this.#lines.get(key);
    if (!known) {
      const line: Line = { key, events: [], state: "ready", urgent, previous: undefined, next: undefined };
      this.#lines.set(key, line);
      this.#laneOf(line).push(line);
      return line;
    }
    if (urgent && !known.urgent) {
      if (known.state === "ready") this.#ready.remove(known);
      known.urgent = true;
      if (known.state === "ready") this.#urgent.push(known);
    }
    return known;
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
    this.#look?.cancel();
    this.#abort.abort(new Error("the time to deliver the last events is over"));
    const left = this.#waiting.length;
    for (let i = 0; i < left; i++) this.#end("shutdown");
    if (left > 0) this.#options.log.info("Events were not delivered before the end", { events: left });
  }

  #pump(): void {
    if (this.#abort.signal.aborted) return;
    while (this.#urgent.first && this.#sending < Math.max(usualWrites, this.#atOnce())) this.#sendFrom(this.#urgent);
    while (this.#ready.first && this.#sending < this.#atOnce()) this.#sendFrom(this.#ready);
    if (this.#ready.first && this.#sending < usualWrites) this.#lookAgain();
  }

  #sendFrom(lane: Lane<Line>): void {
    const line = lane.first;
    const waiting = line?.events[0];
    if (!line || !waiting) return;
    lane.remove(line);
    void this.#write(line, waiting);
  }

  #atOnce(): number {
    const working = !this.#closing && (this.#options.working?.() ?? false);
    return writesAtOnce({ waiting: this.#waiting.length, oldestMs: working ? this.#oldestMs() : 0, working });
  }

  #oldestMs(): number {
    for (const { line, since } of this.#waiting) if (line.state !== "sending") return this.#options.clock.monotonic() - since;
    return 0;
  }

  #lookAgain(): void {
    this.#look ??= this.#options.clock.after(lookAgainMs, () => {
      this.#look = undefined;
      this.#pump();
    });
  }

  #laneOf(line: Line): Lane<Line> {
    return line.urgent ? this.#urgent : this.#ready;
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
    this.#laneOf(line).push(line);
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
    if (line.events.length > 0) {
      line.state = "ready";
      // Not behind those who came later.
      this.#laneOf(line).pushFirst(line);
    }
    if (this.#waiting.length === 0) this.#emptied?.();
  }

  /** The oldest that is not on its way. It is the first of its line, since all before it there are older. */
  #dropOldest(): void {
    for (const waiting of this.#waiting) {
      const { line } = waiting;
      if (line.state === "sending" && line.events[0] === waiting) continue;
      this.#end("overflow");
      this.#losses.lost(`more than ${this.#mostWaiting} events wait for the API server`);
      if (line.state === "parked") this.#makeReady(line);
      this.#remove(line, waiting);
      if (line.events.length === 0) this.#laneOf(line).remove(line);
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
