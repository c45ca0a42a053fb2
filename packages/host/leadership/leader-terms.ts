import type { Clock, Logger, Permit } from "@csi-sidecars/base";
import type { DriverPresence } from "../driver/driver-presence.ts";
import { ChangeSignal, firstOf, unlessAborted } from "../signals.ts";
import { LeaderPermit, permittedUntil } from "./leader-permit.ts";
import type { Lead, Leadership, LeadershipEnd, LeadOptions } from "./leadership.ts";

/** A time during which components may run and act. */
export interface Term {
  /** Aborts when no work may begin any more: it is over, or about to end because the driver is gone. What runs may be finished. */
  readonly stop: AbortSignal;
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
  /** For health checks: why there is none. */
  waitingFor(): string;
}

/** The one term of components that need no leadership. */
export function endlessTerm(end: AbortSignal): Terms {
  const term: Term = { stop: end, signal: end, permit: permittedUntil(end), work: new Set() };
  return { next: async (signal) => (signal.aborted ? undefined : term), waitingFor: () => "the end of the process" };
}

export interface LeaderTermsOptions {
  readonly lead: Lead;
  /** Everything that `lead` needs but what is decided here; resolves when the driver's name is known. */
  readonly leadOptions: (signal: AbortSignal) => Promise<LeaseOptions | undefined>;
  /** The driver that the components need: while it is gone, this process leaves the lease to others. */
  readonly driver: Pick<DriverPresence, "present">;
  /** How long work in flight may take to finish when the driver is gone. */
  readonly drainTimeoutMs: number;
  /** Whether the lease is released when the work under it has ended; else it expires. */
  readonly release: boolean;
  /**
   * What a lost lease does. `exit`: ends the process. `restart`: makes it a candidate again, if the work under the lease ends in time; else ends
   * it. `contain`: never ends it, because components run there that have nothing to do with the lease.
   */
  readonly lossPolicy: "exit" | "restart" | "contain";
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the process with a failure. */
  readonly fatal: (reason: string) => void;
  /** A legacy sidecar holds its lease, and that was reported: ends the process with a failure, after its last events were sent. */
  readonly blocked: (reason: string) => void;
}

type LeaseOptions = Omit<LeadOptions, "signal" | "started" | "mayRelease">;

/** The terms of the components under one lease. Runs for the lease as soon as the first component asks for a term. */
export class LeaderTerms implements Terms {
  readonly #options: LeaderTermsOptions;
  readonly #end = new AbortController();
  readonly #changes = new ChangeSignal();
  #running: Promise<void> | undefined;
  #leadership: Leadership | undefined;
  /** The same while it lasts. */
  #candidacy: Leadership | undefined;
  #term: Term | undefined;

  constructor(options: LeaderTermsOptions) {
    this.#options = options;
  }

  /** For health checks: what is wrong with a leader that does not renew. */
  check(): Error | undefined {
    return this.#leadership?.check();
  }

  waitingFor(): string {
    return this.#candidacy?.waitingFor() ?? "the next election";
  }

  async next(signal: AbortSignal): Promise<Term | undefined> {
    this.#running ??= this.#run();
    while (!signal.aborted) {
      if (this.#term && !this.#term.stop.aborted) return this.#term;
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
    const { leadOptions, driver, lossPolicy, log, fatal, blocked } = this.#options;
    const { signal } = this.#end;
    const options = await leadOptions(signal);
    while (options && !signal.aborted) {
      const gone = await driver.present(signal);
      if (!gone) return;
      const end = await this.#lead(options, gone);
      if (end.reason === "legacy") return blocked(end.because);
      if (end.reason === "lost") {
        if (lossPolicy === "exit") return fatal(`leader election lost: ${end.because}`);
        log.error(undefined, "Lost leadership, controllers are stopped", { lease: options.lease.name, reason: end.because });
      } else if (signal.aborted) return;
      if (await this.#drained(options.timing.leaseDurationMs)) continue;
      const stuck = `${end.reason === "lost" ? "leader election lost" : "the lease was given up"}, and the work under it does not end`;
      if (lossPolicy !== "contain") return fatal(stuck);
      log.error(undefined, `${stuck}: this process runs for the lease again when it has`, { lease: options.lease.name });
      await unlessAborted(signal, Promise.all(this.#term?.work ?? []));
    }
  }

  /** Runs for the lease once. Gives it up when the driver is gone: a leader when its work has ended. */
  async #lead(options: LeaseOptions, gone: AbortSignal): Promise<LeadershipEnd> {
    const { lead, release, drainTimeoutMs, log } = this.#options;
    const givenUp = new AbortController();
    const { signal, done } = firstOf(this.#end.signal, givenUp.signal);
    const giveUp = async () => {
      if (signal.aborted) return;
      log.error(undefined, "The CSI driver is gone, this replica does not lead until it answers again");
      if (!(await this.#drained(drainTimeoutMs)))
        log.error(undefined, "Work in flight did not finish in time, the lease is left to expire");
      givenUp.abort(gone.reason);
    };
    gone.addEventListener("abort", giveUp, { once: true });
    this.#leadership = lead({
      ...options,
      signal,
      mayRelease: () => release && (this.#term?.work.size ?? 0) === 0,
      started: (leading) => this.#begin(leading, gone),
    });
    this.#candidacy = this.#leadership;
    const end = await this.#leadership.ended;
    this.#candidacy = undefined;
    gone.removeEventListener("abort", giveUp);
    done();
    return end;
  }

  #begin(leading: AbortSignal, gone: AbortSignal): void {
    const { signal: stop, done } = firstOf(leading, gone);
    leading.addEventListener("abort", done, { once: true });
    const permit = new LeaderPermit(() => this.#leadership?.mayAct() === true, leading, this.#options.clock);
    this.#term = { stop, signal: leading, permit, work: new Set() };
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
