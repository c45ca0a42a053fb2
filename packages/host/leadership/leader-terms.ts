import type { Clock, Logger, Permit } from "@csi-sidecars/base";
import { ChangeSignal, unlessAborted } from "../signals.ts";
import { LeaderPermit, permittedUntil } from "./leader-permit.ts";
import type { Lead, Leadership, LeadOptions } from "./leadership.ts";

/** A time during which components may run and act. */
export interface Term {
  /** Aborts when it is over: what still runs then is not to be finished. A clean end stops the work before, and waits for it. */
  readonly signal: AbortSignal;
  /** To change something: given only as long as it is certain that nobody else acts. */
  readonly permit: Permit;
  /** The work done in it: the next term waits for its end. */
  readonly work: Set<Promise<void>>;
}

/** Where components get their terms. */
export interface Terms {
  /** The current term, or the next one; `undefined` when the signal aborts first. */
  next(signal: AbortSignal): Promise<Term | undefined>;
}

/** The one term of components that need no leadership. */
export function endlessTerm(end: AbortSignal): Terms {
  const term: Term = { signal: end, permit: permittedUntil(end), work: new Set() };
  return { next: async (signal) => (signal.aborted ? undefined : term) };
}

export interface LeaderTermsOptions {
  readonly lead: Lead;
  /** Everything that `lead` needs but what is decided here; resolves when the driver's name is known. */
  readonly leadOptions: (signal: AbortSignal) => Promise<Omit<LeadOptions, "signal" | "started"> | undefined>;
  readonly lossPolicy: "exit" | "restart";
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the process with a failure. */
  readonly fatal: (reason: string) => void;
  /** A legacy sidecar holds its lease, and that was reported: ends the process with a failure, after its last events were sent. */
  readonly blocked: (reason: string) => void;
}

/** The terms of the components under one lease. Runs for the lease as soon as the first component asks for a term. */
export class LeaderTerms implements Terms {
  readonly #options: LeaderTermsOptions;
  readonly #end = new AbortController();
  readonly #changes = new ChangeSignal();
  #running: Promise<void> | undefined;
  #leadership: Leadership | undefined;
  #term: Term | undefined;

  constructor(options: LeaderTermsOptions) {
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
      await this.#changes.next(signal);
    }
    return undefined;
  }

  /** Stops running for the lease, or leading once all work has ended; resolves when the lease was released or left alone. */
  async end(): Promise<void> {
    this.#end.abort(new Error("the process is to end"));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { lead, leadOptions, lossPolicy, log, fatal, blocked } = this.#options;
    const { signal } = this.#end;
    const options = await leadOptions(signal);
    while (options && !signal.aborted) {
      this.#leadership = lead({ ...options, signal, started: (leading) => this.#begin(leading) });
      const end = await this.#leadership.ended;
      if (end.reason === "released" || end.reason === "cancelled") return;
      if (end.reason === "legacy") return blocked(end.because);
      if (lossPolicy === "exit") return fatal(`leader election lost: ${end.because}`);
      log.error(undefined, "Lost leadership, controllers are stopped", { reason: end.because });
      if (!(await this.#drained(options.timing.leaseDurationMs))) return fatal("leader election lost, and the work under it does not end");
    }
  }

  #begin(signal: AbortSignal): void {
    const permit = new LeaderPermit(() => this.#leadership?.mayAct() === true, signal, this.#options.clock);
    this.#term = { signal, permit, work: new Set() };
    this.#changes.changed();
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
