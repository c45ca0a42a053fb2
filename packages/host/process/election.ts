import type { Clock, Logger } from "@csi-sidecars/base";
import type { Lead, Leadership, LeadOptions } from "../leadership/leadership.ts";
import { Notice } from "../supervisor/notice.ts";
import { unlessAborted } from "../supervisor/waiting.ts";
import type { Term, Terms } from "./terms.ts";

export interface ElectionOptions {
  readonly lead: Lead;
  /** All that `lead` needs but what the election itself decides; known when the driver's name is. */
  readonly candidacy: (signal: AbortSignal) => Promise<Omit<LeadOptions, "signal" | "started"> | undefined>;
  readonly lossPolicy: "exit" | "restart";
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the process with a failure. */
  readonly fatal: (because: string) => void;
  /** A legacy sidecar is in the way, and everybody was told: ends the process with a failure, its last events sent. */
  readonly inTheWay: (because: string) => void;
}

/** The terms of elected components. Runs for the lease from the moment the first component wants a term. */
export class Election implements Terms {
  readonly #options: ElectionOptions;
  readonly #end = new AbortController();
  readonly #news = new Notice();
  #running: Promise<void> | undefined;
  #leadership: Leadership | undefined;
  #term: Term | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
  }

  /** For health checks: what is wrong with a leader that does not renew. */
  check(): Error | undefined {
    return this.#leadership?.check();
  }

  async next(signal: AbortSignal): Promise<Term | undefined> {
    this.#running ??= this.#run();
    while (!signal.aborted) {
      if (this.#term && !this.#term.signal.aborted) return this.#term;
      await this.#news.next(signal);
    }
    return undefined;
  }

  /** Ends the candidacy, or the leadership once its work has ended; resolves when the lease was given back or left alone. */
  async end(): Promise<void> {
    this.#end.abort(new Error("the process is to end"));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { lead, candidacy, lossPolicy, log, fatal, inTheWay } = this.#options;
    const { signal } = this.#end;
    const options = await candidacy(signal);
    while (options && !signal.aborted) {
      this.#leadership = lead({ ...options, signal, started: (leading) => this.#begin(leading) });
      const end = await this.#leadership.ended;
      if (end.reason === "released" || end.reason === "cancelled") return;
      if (end.reason === "legacy") return inTheWay(end.because);
      if (lossPolicy === "exit") return fatal(`leader election lost: ${end.because}`);
      log.error(undefined, "Lost leadership, controllers are stopped", { because: end.because });
      if (!(await this.#drained(options.timing.leaseDurationMs))) return fatal("leader election lost, and the work under it does not end");
    }
  }

  #begin(signal: AbortSignal): void {
    this.#term = { signal, mayAct: () => !signal.aborted && this.#leadership?.mayAct() === true, work: new Set() };
    this.#news.changed();
  }

  /** Whether the work of the last term ended in time: only then may this process run for the lease again. */
  async #drained(limitMs: number): Promise<boolean> {
    const over = new AbortController();
    const timer = this.#options.clock.after(limitMs, () => over.abort());
    await unlessAborted(over.signal, Promise.all(this.#term?.work ?? []));
    timer.cancel();
    return !over.signal.aborted;
  }
}
