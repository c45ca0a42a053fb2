import { messageWithCause } from "@csi-sidecars/base";
import { LeaderElector, TransportError, type V1Lease } from "@csi-sidecars/kube";
import { firstOf } from "../signals.ts";
import { controllersAnnotation, controllersText, warnAboutOthers } from "./controllers-annotation.ts";
import type { Lead, Leadership, LeadershipEnd, LeadOptions } from "./leadership.ts";
import { LegacySidecars } from "./legacy-sidecars.ts";

/** Runs for the lease of a process, and makes sure before work begins that no legacy sidecar runs. See {@link LeadOptions}. */
export const lead: Lead = (options) => new LeaseCandidate(options);

class LeaseCandidate implements Leadership {
  readonly ended: Promise<LeadershipEnd>;
  readonly #options: LeadOptions;
  readonly #elector: LeaderElector;
  readonly #legacy: LegacySidecars | undefined;
  /** Ends the election: later than asked to, where legacy leases have to be released first. */
  readonly #election = new AbortController();
  /** Ends the work: earlier than the election, where a legacy sidecar came back. */
  readonly #rolledBack = new AbortController();
  #preparing: Promise<void> = Promise.resolve();
  #watching: Promise<void> = Promise.resolve();
  #started = false;

  constructor(options: LeadOptions) {
    const { controllers, events, metrics, random } = options;
    this.#options = options;
    this.#elector = new LeaderElector({
      client: options.client,
      lease: options.lease,
      identity: options.identity,
      timing: options.timing,
      labels: options.labels,
      clock: options.clock,
      log: options.log,
      ...(controllers && { annotations: { [controllersAnnotation]: controllersText(controllers) } }),
      ...(controllers && { onObserved: warnAboutOthers(controllers, options.identity, options.log) }),
      ...(events && { events }),
      ...(metrics && { metrics }),
      ...(random && { random }),
      ...(options.writer && { writer: options.writer }),
      // Where legacy sidecars kept the components from starting, no work can be in flight.
      mayRelease: () => (this.#legacy?.blocked !== undefined && !this.#started) || options.mayRelease(),
      onStartedLeading: (lease, leading) => {
        this.#preparing = this.#begin(lease, leading);
      },
    });
    this.#legacy = options.migration && new LegacySidecars(options, options.migration, this.#elector);
    this.ended = this.#run();
  }

  mayAct(): boolean {
    return !this.#rolledBack.signal.aborted && this.#elector.mayAct();
  }

  check(): Error | undefined {
    return this.#elector.check();
  }

  waitingFor(): string {
    const { lease, failure } = this.#elector;
    if (failure) return `the lease cannot be acquired: ${whyNot(failure.error)}`;
    if (!lease) return "the lease has not been read yet";
    const holder = lease.spec?.holderIdentity;
    if (!holder) return "nobody holds the lease yet";
    if (holder !== this.#options.identity) return `another replica leads: ${holder}`;
    return this.#legacy?.waitingFor ?? "the lease is held, and an earlier leader may still act";
  }

  async #run(): Promise<LeadershipEnd> {
    const { signal } = this.#options;
    const stop = () => void this.#preparing.then(() => this.#election.abort(signal.reason));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const end = await this.#elector
      .run(this.#election.signal)
      .catch((error): LeadershipEnd => ({ reason: "lost", because: String(error) }));
    await this.#preparing;
    await this.#watching;
    signal.removeEventListener("abort", stop);
    const because = this.#legacy?.blocked;
    return because === undefined ? end : { reason: "legacy", because };
  }

  /** Without legacy leases, work begins before this first waits. */
  async #begin(lease: V1Lease, leading: AbortSignal): Promise<void> {
    const { signal, started } = this.#options;
    const legacy = this.#legacy;
    if (signal.aborted) return;
    if (legacy && !(await legacy.areGone(lease, leading))) {
      if (legacy.blocked !== undefined) this.#election.abort();
      return;
    }
    this.#started = true;
    started(firstOf(leading, this.#rolledBack.signal).signal);
    if (legacy) this.#watching = this.#watch(legacy, leading);
  }

  async #watch(legacy: LegacySidecars, leading: AbortSignal): Promise<void> {
    const cameBack = await legacy.comeBack(leading, (reason) => this.#rolledBack.abort(new Error(reason)));
    if (cameBack) this.#election.abort();
  }
}

/** The log has the address, and what to check. */
const whyNot = (error: unknown) =>
  error instanceof TransportError ? `the API server is not reached (${error.kind})` : messageWithCause(error);
