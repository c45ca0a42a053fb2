import { type RepeatedFailure, UnsavedResults } from "@csi-sidecars/controller";
import type { Key } from "@csi-sidecars/kube";

/**
 * What is known of the last call for a claim that is in progress.
 * - `none`: this process has marked the claim, and has not called the driver since.
 * - `final`: the driver has answered, and is not working on it any more.
 * - `uncertain`: the driver may be working on it. Also where nothing is known, such as after a restart.
 */
export type LastCall = "none" | "final" | "uncertain";

/** What the driver answered for a class. */
export type Answer = { readonly outcome: "modified"; readonly className: string } | FailedAnswer;

export interface FailedAnswer {
  readonly outcome: "failed";
  readonly className: string;
  readonly error: Error;
  /** Whether the driver may be working on it all the same. */
  readonly uncertain: boolean;
  /** Whether the same call will fail again. */
  readonly infeasible: boolean;
}

/** What this process knows of claims that are being modified. A process that knows none of it repeats a call, and does no harm. */
export class ModifyState {
  /** A claim without an entry is uncertain: whoever marked it as in progress may have called the driver. */
  readonly #lastCalls = new Map<Key, Exclude<LastCall, "uncertain">>();
  readonly #unsaved = new UnsavedResults<Answer>();

  lastCall(key: Key): LastCall {
    return this.#lastCalls.get(key) ?? "uncertain";
  }

  unsavedAnswer(key: Key): Answer | undefined {
    return this.#unsaved.get(key);
  }

  /** The claim is in progress, with a target that the driver has not been asked for. */
  marked(key: Key): void {
    this.#lastCalls.set(key, "none");
    this.#unsaved.delete(key);
  }

  answered(key: Key, answer: Answer): void {
    this.#unsaved.set(key, answer);
    if (answer.outcome === "failed" && answer.uncertain) this.#lastCalls.delete(key);
    else this.#lastCalls.set(key, "final");
  }

  saved(key: Key): void {
    this.#unsaved.delete(key);
  }

  /** The answer could not be saved. Returns how often and since when. */
  saveFailed(key: Key, now: number): RepeatedFailure {
    return this.#unsaved.failed(key, now);
  }

  /** The claim is not in progress any more, or gone. */
  forget(key: Key): void {
    this.#lastCalls.delete(key);
    this.#unsaved.delete(key);
  }

  /** How much is kept. */
  get size(): number {
    return this.#lastCalls.size + this.#unsaved.size;
  }
}
