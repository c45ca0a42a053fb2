import type { Clock } from "@csi-sidecars/base";

/** When something becomes ready: after so many answers that it is not, or after a time. */
export type ReadyAfter = { readonly calls: number } | { readonly ms: number };

/** How long each call of a method takes: always the same, or a random time between two. */
export type Latency = number | readonly [least: number, most: number];

/** The behaviour that a script set. It does not survive a restart. */
export class Scripted {
  readonly latency = new Map<string, Latency>();
  snapshotReadyAfter: ReadyAfter | undefined;
  groupReadyAfter: ReadyAfter | undefined;
  #notReady: { calls: number; until: number } = { calls: 0, until: 0 };
  readonly #unready = new Map<string, { calls: number } | { at: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes the next probes answer "not ready". */
  probeNotReady(after: ReadyAfter): void {
    this.#notReady = "calls" in after ? { calls: after.calls, until: 0 } : { calls: 0, until: this.#clock.monotonic() + after.ms };
  }

  /** The answer of the next probe. */
  probe(): boolean {
    if (this.#notReady.calls > 0) {
      this.#notReady.calls--;
      return false;
    }
    return this.#clock.monotonic() >= this.#notReady.until;
  }

  /** A snapshot or group was cut; it becomes ready later. */
  cut(id: string, after: ReadyAfter | undefined): void {
    if (!after) return;
    this.#unready.set(id, "calls" in after ? { calls: after.calls - 1 } : { at: this.#clock.monotonic() + after.ms });
  }

  /** It was requested again. */
  askedAgain(id: string): void {
    const unready = this.#unready.get(id);
    if (unready && "calls" in unready) unready.calls--;
  }

  isReady({ id, readyToUse }: { readonly id: string; readonly readyToUse: boolean }): boolean {
    const unready = this.#unready.get(id);
    if (readyToUse || !unready) return true;
    return "calls" in unready ? unready.calls < 0 : this.#clock.monotonic() >= unready.at;
  }
}
