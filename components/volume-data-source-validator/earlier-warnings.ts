import { backoffDelays, type Clock, type Logger } from "@csi-sidecars/base";
import { claimEvents } from "@csi-sidecars/controller";
import { type Client, isForbidden } from "@csi-sidecars/kube";
import { eventReasons } from "./event-reasons.ts";

interface EarlierWarningsOptions {
  readonly kube: Pick<Client, "list">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Logger;
}

/** For all claims together: the API server reads every event of the cluster for each try. */
const retryBackoff = { start: 1_000, factor: 2, cap: 60_000, jitter: 0.1 };

/**
 * Which claims the process before this one has warned about, as far as the API server still has its events: they are not warned about again.
 * The events are read once, and only when there is something to warn about.
 */
export class EarlierWarnings {
  readonly #options: EarlierWarningsOptions;
  readonly #delays = backoffDelays(retryBackoff);
  #uids: Set<string> | undefined;
  #reading: Promise<number> | undefined;
  /** When they may be read again after a failure, on the monotonic clock. */
  #retryAt = 0;

  constructor(options: EarlierWarningsOptions) {
    this.#options = options;
  }

  get isKnown(): boolean {
    return this.#uids !== undefined;
  }

  /**
   * Reads them, unless that failed a moment ago. Returns how many milliseconds later a claim is to be looked at again: 0 when they are
   * known.
   */
  async read(signal: AbortSignal): Promise<number> {
    const waitMs = this.#retryAt - this.#options.clock.monotonic();
    if (waitMs > 0) return waitMs;
    this.#reading ??= this.#try(signal).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Whether there is a warning about the claim with this uid; said once: what happens to the claim later is a reason for another one. */
  take(uid: string): boolean {
    return this.#uids?.delete(uid) ?? false;
  }

  async #try(signal: AbortSignal): Promise<number> {
    const { clock, log } = this.#options;
    try {
      this.#uids = await this.#list(signal);
      return 0;
    } catch (error) {
      if (signal.aborted) throw error;
      log.error(error, "Could not read the warnings of an earlier process, will be retried: nobody is warned until then");
      const delayMs = this.#delays.next().value;
      this.#retryAt = clock.monotonic() + delayMs;
      return delayMs;
    }
  }

  async #list(signal: AbortSignal): Promise<Set<string>> {
    const { kube, log } = this.#options;
    const uids = new Set<string>();
    try {
      for await (const { involvedObject } of claimEvents(kube, eventReasons.unrecognized, signal)) {
        if (involvedObject.uid) uids.add(involvedObject.uid);
      }
    } catch (error) {
      if (!isForbidden(error)) throw error;
      log.info("May not list events: claims that were warned about before a restart are warned about again");
    }
    return uids;
  }
}
