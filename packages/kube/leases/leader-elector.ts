import { type Clock, jitter, type Logger, silentLogger, systemClock } from "@csi-sidecars/base";
import { involved } from "../events/event-object.ts";
import { Lease, type V1Lease } from "../resources.ts";
import {
  defaultElectionTiming,
  type ElectionEnd,
  type ElectionTiming,
  jitterFactor,
  type LeaderElectorOptions,
  mayActForMs,
  timingProblem,
} from "./leader-elector-options.ts";
import { LeaseLock } from "./lease-lock.ts";
import { recordOf } from "./lease-record.ts";
import { LeaseRenewal } from "./lease-renewal.ts";
import { LeaseWriter } from "./lease-writer.ts";
import { TimedLock } from "./timed-lock.ts";

/**
 * client-go's LeaderElector: of all candidates for a Lease one leads at a time. `run` competes until its signal aborts or leadership is
 * lost; it never ends the process.
 */
export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #timing: ElectionTiming;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #lock: LeaseLock;
  readonly #attempts: TimedLock;
  readonly #renewal: LeaseRenewal;
  readonly #writer: LeaseWriter;
  /** Set while leading. */
  #leadership: AbortController | undefined;
  #leader: string | undefined;
  /** How often another process with this identity was seen to write: the first time it may have been a predecessor. */
  #writesOfNamesake = 0;

  constructor(options: LeaderElectorOptions) {
    const timing = options.timing ?? defaultElectionTiming;
    const problem = timingProblem(timing);
    if (problem) throw new Error(problem);
    this.#options = options;
    this.#timing = timing;
    this.#clock = options.clock ?? systemClock;
    this.#log = (options.log ?? silentLogger).with({ lease: `${options.lease.namespace}/${options.lease.name}` });
    this.#writer = options.writer ?? new LeaseWriter();
    this.#lock = new LeaseLock({
      client: options.client,
      clock: this.#clock,
      log: this.#log,
      lease: options.lease,
      me: { identity: options.identity, leaseDurationSeconds: Math.trunc(timing.leaseDurationMs / 1000) },
      writer: this.#writer,
      labels: options.labels ?? {},
      annotations: options.annotations ?? {},
      onObserved: (lease) => this.#observed(lease),
      onSlowPath: () => options.metrics?.slowPath(options.lease.name),
    });
    this.#attempts = new TimedLock(this.#lock, timing, this.#clock);
    this.#renewal = new LeaseRenewal({
      ...{ attempts: this.#attempts, lock: this.#lock, timing, clock: this.#clock, log: this.#log },
      onSharedIdentity: () => this.#reportSharedIdentity(),
    });
  }

  /** Whether this candidate leads as far as it knows. Before a write that only a leader may do, check {@link mayAct}. */
  isLeader(): boolean {
    return this.#leadership !== undefined && this.#lock.isMine;
  }

  /**
   * Whether no other candidate can lead at this moment, even if this process or its machine was suspended or cannot reach the API
   * server. Wall time counts as well as monotonic time: a clock that is set forward makes this false until the next term.
   */
  mayAct(): boolean {
    return this.isLeader() && this.#lock.sinceRenewalMs < mayActForMs(this.#timing);
  }

  /** What the last attempt to acquire the Lease failed with: then nothing is known of who holds it now. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#lock.failure;
  }

  /** The Lease as last read or written. */
  get lease(): V1Lease | undefined {
    return this.#lock.lease;
  }

  /** For health checks: an error when leading without a renewal for `graceMs` longer than the lease duration. */
  check(graceMs = 20_000): Error | undefined {
    const observed = this.#lock.observed;
    if (!this.#leadership || !observed || this.#clock.monotonic() - observed.at <= this.#timing.leaseDurationMs + graceMs) return undefined;
    return new Error(`failed election to renew leadership on lease ${this.#options.lease.name}`);
  }

  /** Writes annotations to the Lease now and with every renewal; retries while leading. Throws when leadership ends first. */
  async annotate(annotations: Readonly<Record<string, string>>): Promise<V1Lease> {
    this.#lock.setAnnotations(annotations);
    const ends = this.#leadership?.signal ?? AbortSignal.abort();
    while (!ends.aborted) {
      const result = await this.#attempts.renew(ends);
      if (result.kind === "mine") return result.lease;
      if (result.kind === "theirs") break;
      await this.#sleep(this.#timing.retryPeriodMs, ends);
    }
    throw new Error(`leadership of lease ${this.#options.lease.name} ended before its annotations were written`);
  }

  async run(signal: AbortSignal): Promise<ElectionEnd> {
    const { identity, metrics, lease: ref } = this.#options;
    metrics?.leading(ref.name, false);
    this.#log.info("Attempting to acquire leader lease...");
    const lease = await this.#acquire(signal);
    if (!lease) return { reason: "cancelled" };
    this.#log.info("Successfully acquired lease");
    const leadership = new AbortController();
    this.#leadership = leadership;
    metrics?.leading(ref.name, true);
    this.#recordEvent(`${identity} became leader`);
    let lost: string | undefined;
    try {
      this.#options.onStartedLeading?.(lease, leadership.signal);
      lost = await this.#renewal.untilLost(signal);
    } finally {
      this.#leadership = undefined;
      metrics?.leading(ref.name, false);
      leadership.abort(new Error(lost ?? "the election was asked to end"));
      this.#recordEvent(`${identity} stopped leading`);
      this.#options.onStoppedLeading?.();
    }
    this.#log.info("Stopped leading", { because: lost ?? "asked to end" });
    const released = this.#options.mayRelease?.() === true && (await this.#release());
    if (lost) return { reason: "lost", because: lost };
    return { reason: released ? "released" : "cancelled" };
  }

  async #acquire(signal: AbortSignal): Promise<V1Lease | undefined> {
    const { retryPeriodMs } = this.#timing;
    let told = false;
    while (!signal.aborted) {
      const result = await this.#attempts.acquire(signal);
      let pauseMs = jitter(retryPeriodMs, jitterFactor, this.#options.random);
      if (result.kind === "mine") {
        const waitMs = this.#writer.actsFrom - this.#clock.monotonic();
        if (waitMs <= 0) return result.lease;
        if (!told)
          this.#log.info("The lease did not exist: waiting, because one that was deleted may have a leader", { waitMs: Math.ceil(waitMs) });
        told = true;
        pauseMs = Math.min(retryPeriodMs, waitMs);
      }
      if (result.kind === "theirs") this.#log.v(4).info("Lock is held and has not yet expired", { holder: result.holder });
      await this.#sleep(pauseMs, signal);
    }
    return undefined;
  }

  async #release(): Promise<boolean> {
    try {
      return await this.#attempts.release();
    } catch (error) {
      this.#log.error(error, "Failed to release the lease, it will expire by itself");
      return false;
    }
  }

  /** Ends early, without an error, when the signal aborts. */
  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#clock.sleep(ms, signal).catch(() => undefined);
  }

  #reportSharedIdentity(): void {
    const { identity, events } = this.#options;
    const message = `two processes run for the lease as "${identity}": give each pod the environment variable POD_NAME (metadata.name)`;
    this.#log.error(undefined, message);
    events?.event(this.#eventObject(), "Warning", "LeaderElection", message);
  }

  #observed(lease: V1Lease): void {
    this.#writesOfNamesake = this.#lock.hasSharedIdentity ? this.#writesOfNamesake + 1 : 0;
    if (this.#writesOfNamesake === 2) this.#reportSharedIdentity();
    const holder = recordOf(lease).holderIdentity;
    this.#options.onObserved?.(lease);
    if (holder === this.#leader) return;
    this.#leader = holder;
    if (holder === "") this.#log.v(2).info("The lease has no holder");
    else this.#log.info("New leader detected", { leader: holder });
  }

  #recordEvent(message: string): void {
    this.#options.events?.event(this.#eventObject(), "Normal", "LeaderElection", message);
  }

  #eventObject() {
    return involved(Lease, this.#lock.lease ?? { metadata: { ...this.#options.lease } });
  }
}
