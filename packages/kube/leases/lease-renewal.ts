import type { Clock, Logger } from "@csi-sidecars/base";
import { type ElectionTiming, givesUpAfterMs } from "./leader-elector-options.ts";
import type { LeaseLock } from "./lease-lock.ts";
import type { TimedLock } from "./timed-lock.ts";

const reportedLagMs = 1_000;
/** The pause after a renewal that failed, if the retry period is longer: there is little time left. */
const failedRenewalPauseMs = 1_000;

export interface LeaseRenewalOptions {
  readonly attempts: TimedLock;
  readonly lock: LeaseLock;
  readonly timing: ElectionTiming;
  readonly clock: Clock;
  readonly log: Logger;
  /** Another process renewed the lease under the identity of this one. */
  onSharedIdentity(): void;
}

/** Keeps a lease that is ours, and knows when it is not ours any more. */
export class LeaseRenewal {
  readonly #options: LeaseRenewalOptions;

  constructor(options: LeaseRenewalOptions) {
    this.#options = options;
  }

  /** Renews until the signal aborts (`undefined`) or leadership is lost (returns why). */
  async untilLost(signal: AbortSignal): Promise<string | undefined> {
    const { clock, log, timing } = this.#options;
    const { retryPeriodMs } = timing;
    for (;;) {
      const due = clock.monotonic() + retryPeriodMs;
      await this.#sleep(retryPeriodMs, signal);
      if (signal.aborted) return undefined;
      const lag = clock.monotonic() - due;
      if (lag > reportedLagMs) log.info("The event loop was blocked, lease renewal is late", { lateMs: Math.round(lag) });
      const lost = this.#isTooLate() ? this.#lateBecause(lag) : await this.#renewInTime(signal);
      if (signal.aborted) return undefined;
      if (lost) return lost;
    }
  }

  /** One renewal: attempts until one succeeds or it is too late. Returns why it failed. */
  async #renewInTime(signal: AbortSignal): Promise<string | undefined> {
    const pauseMs = Math.min(this.#options.timing.retryPeriodMs, failedRenewalPauseMs);
    while (!signal.aborted) {
      const next = this.#options.clock.monotonic() + pauseMs;
      const result = await this.#options.attempts.renew(signal);
      if (result.kind === "theirs") return this.#lostTo(result);
      if (result.kind === "mine") return this.#isTooLate() ? "the event loop was blocked during the renewal" : undefined;
      const now = this.#options.clock.monotonic();
      await this.#sleep(Math.min(Math.max(0, next - now), this.#leftMs()), signal);
      if (this.#isTooLate()) return `failed to renew the lease for ${givesUpAfterMs(this.#options.timing)} ms`;
    }
    return undefined;
  }

  /** How long this leader still may take for a renewal. */
  #leftMs(): number {
    return Math.max(0, givesUpAfterMs(this.#options.timing) - this.#options.lock.sinceRenewalMs);
  }

  #isTooLate(): boolean {
    return this.#leftMs() === 0;
  }

  #lateBecause(lag: number): string {
    if (lag > reportedLagMs) return `the event loop was blocked for ${Math.round(lag)} ms`;
    return `${Math.round(this.#options.lock.sinceRenewalMs)} ms of wall time have passed since the last renewal: the clock was set, or the machine was suspended`;
  }

  #lostTo({ holder, sharedIdentity }: { readonly holder: string; readonly sharedIdentity: boolean }): string {
    if (!sharedIdentity) return `the lease is held by "${holder}"`;
    this.#options.onSharedIdentity();
    return `another process renews the lease as "${holder}", the identity of this one`;
  }

  /** Ends early, without an error, when the signal aborts. */
  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(ms, signal).catch(() => undefined);
  }
}
