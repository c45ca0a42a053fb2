import { type Clock, jitter, type Logger, silentLogger, systemClock } from "@csi-sidecars/base";
import { involved } from "../events/event-object.ts";
import { Lease, type V1Lease } from "../resources.ts";
import {
  defaultElectionTiming,
  type ElectionEnd,
  type ElectionTiming,
  jitterFactor,
  type LeaderElectorOptions,
  timingProblem,
} from "./leader-elector-options.ts";
import { LeaseLock } from "./lease-lock.ts";
import { recordOf } from "./lease-record.ts";
import { TimedLock } from "./timed-lock.ts";

/** How long before others may take over `mayAct` turns false: they see renewals with the precision of a second. */
const safetyMs = 1_000;
const reportedLagMs = 1_000;

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
  /** Set while leading. */
  #leadership: AbortController | undefined;
  #leader: string | undefined;

  constructor(options: LeaderElectorOptions) {
    const timing = options.timing ?? defaultElectionTiming;
    const problem = timingProblem(timing);
    if (problem) throw new Error(problem);
    this.#options = options;
    this.#timing = timing;
    this.#clock = options.clock ?? systemClock;
    this.#log = (options.log ?? silentLogger).with({ lease: `${options.lease.namespace}/${options.lease.name}` });
    this.#lock = new LeaseLock({
      client: options.client,
      clock: this.#clock,
      log: this.#log,
      lease: options.lease,
      me: { identity: options.identity, leaseDurationSeconds: Math.trunc(timing.leaseDurationMs / 1000) },
      labels: options.labels ?? {},
      annotations: options.annotations ?? {},
      onObserved: (lease) => this.#observed(lease),
      onSlowPath: () => options.metrics?.slowPath(options.lease.name),
    });
    this.#attempts = new TimedLock(this.#lock, timing, this.#clock);
  }

  /** Whether this candidate leads as far as it knows. Before a write that only a leader may do, check {@link mayAct}. */
  isLeader(): boolean {
    return this.#leadership !== undefined && this.#lock.isMine;
  }

  /** Whether no other candidate can lead at this moment, even if this process was suspended or cannot reach the API server. */
  mayAct(): boolean {
    const lastsMs = Math.trunc(this.#timing.leaseDurationMs / 1000) * 1000;
    return this.isLeader() && this.#clock.monotonic() < this.#lock.renewedAt + lastsMs - safetyMs;
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
      lost = await this.#renewUntilLost(signal);
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
    while (!signal.aborted) {
      const result = await this.#attempts.acquire(signal);
      if (result.kind === "mine") return result.lease;
      if (result.kind === "theirs") this.#log.v(4).info("Lock is held and has not yet expired", { holder: result.holder });
      await this.#sleep(jitter(this.#timing.retryPeriodMs, jitterFactor, this.#options.random), signal);
    }
    return undefined;
  }

  /** Renews until the signal aborts (`undefined`) or leadership is lost (returns why). */
  async #renewUntilLost(signal: AbortSignal): Promise<string | undefined> {
    const { retryPeriodMs, renewDeadlineMs } = this.#timing;
    for (;;) {
      const due = this.#clock.monotonic() + retryPeriodMs;
      await this.#sleep(retryPeriodMs, signal);
      if (signal.aborted) return undefined;
      const lag = this.#clock.monotonic() - due;
      if (lag > reportedLagMs) this.#log.info("The event loop was blocked, lease renewal is late", { lateMs: Math.round(lag) });
      if (lag > renewDeadlineMs) return `the event loop was blocked for ${Math.round(lag)} ms`;
      const lost = await this.#renewInTime(signal);
      if (signal.aborted) return undefined;
      if (lost) return lost;
    }
  }

  /** One renewal: attempts at once and every retry period until the deadline. Returns why it failed. */
  async #renewInTime(signal: AbortSignal): Promise<string | undefined> {
    const { retryPeriodMs, renewDeadlineMs } = this.#timing;
    const start = this.#clock.monotonic();
    const deadline = start + renewDeadlineMs;
    for (let next = start; ; ) {
      const result = await this.#attempts.renew(signal, deadline);
      if (result.kind === "theirs") return `the lease is held by "${result.holder}"`;
      const now = this.#clock.monotonic();
      if (result.kind === "mine") {
        return now - this.#lock.renewedAt > renewDeadlineMs ? "the event loop was blocked during the renewal" : undefined;
      }
      next += retryPeriodMs;
      if (Math.max(now, next) < deadline) {
        await this.#sleep(Math.max(0, next - now), signal);
      } else {
        await this.#sleep(Math.max(0, deadline - now), signal);
        return `failed to renew the lease for ${renewDeadlineMs} ms`;
      }
      if (signal.aborted) return undefined;
    }
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

  #observed(lease: V1Lease): void {
    const holder = recordOf(lease).holderIdentity;
    this.#options.onObserved?.(lease);
    if (holder === this.#leader) return;
    this.#leader = holder;
    this.#log.info("New leader detected", { leader: holder });
  }

  #recordEvent(message: string): void {
    const lease = this.#lock.lease ?? { metadata: { ...this.#options.lease } };
    this.#options.events?.event(involved(Lease, lease), "Normal", "LeaderElection", message);
  }
}
