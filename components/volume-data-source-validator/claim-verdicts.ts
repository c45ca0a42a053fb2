import type { Clock } from "@csi-sidecars/base";

interface Known {
  readonly verdict?: "populator" | "invalid";
  /** Since when no populator for the kind has been found, on the monotonic clock. */
  readonly missingSince?: number;
}

/** What the last verdict about each unbound claim was that needs a populator, by uid. Others are judged once, when they are first seen. */
export class ClaimVerdicts {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #delayMs: number;
  readonly #known = new Map<string, Known>();

  /** `delayMs`: how long a populator may be missing. */
  constructor(clock: Pick<Clock, "monotonic">, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  of(uid: string): Known["verdict"] {
    return this.#known.get(uid)?.verdict;
  }

  /** The populator is there. Returns whether that is news. */
  found(uid: string): boolean {
    const isNews = this.of(uid) !== "populator";
    this.#known.set(uid, { verdict: "populator" });
    return isNews;
  }

  /** There is no populator. Returns how many milliseconds there may be none, from the first time on that it is found missing. */
  missing(uid: string): number {
    const now = this.#clock.monotonic();
    const { verdict, missingSince = now } = this.#known.get(uid) ?? {};
    this.#known.set(uid, { ...(verdict && { verdict }), missingSince });
    return Math.max(0, missingSince + this.#delayMs - now);
  }

  invalid(uid: string): void {
    this.#known.set(uid, { verdict: "invalid" });
  }

  /** It was bound, or is gone or going. */
  forget(uid: string): void {
    this.#known.delete(uid);
  }

  get invalidClaims(): number {
    return this.#known.values().reduce((sum, { verdict }) => sum + (verdict === "invalid" ? 1 : 0), 0);
  }
}
