import { beginningOf, type Clock } from "@csi-sidecars/base";
import { InfeasibleBackoff, type RepeatedFailure, UnsavedResults } from "@csi-sidecars/controller";
import type { Key } from "@csi-sidecars/kube";
import { maxConditionBytes } from "../claim-patch.ts";
import type { ExpandFailure } from "./expand-answer.ts";
import type { Expansion } from "./expand-call.ts";

interface ExpansionTo {
  readonly bytes: bigint;
  readonly expansion: Expansion;
}

/** A size that the driver refused for good, and that is not tried again before the time has passed. */
export interface Refusal {
  readonly cause: string;
  readonly remainingMs: number;
}

/**
 * What is known of claims beside what is stored, by `claimKey`. All of it may be lost: then the driver is called once more than
 * necessary, or a lowered request waits until the latest attempt has come to an end.
 */
export class ResizeState {
  readonly #unfinished = new Set<Key>();
  readonly #finalErrors = new Set<Key>();
  readonly #refusals: InfeasibleBackoff;
  readonly #causes = new Map<Key, string>();
  readonly #unsaved = new UnsavedResults<ExpansionTo>();

  constructor(refusalMs: number, clock: Pick<Clock, "monotonic">) {
    this.#refusals = new InfeasibleBackoff(refusalMs, clock);
  }

  /** How many claims are too small and not kubelet's, and how many of them wait because the driver refused their size. */
  counts(): { readonly pending: number; readonly infeasible: number } {
    return { pending: this.#unfinished.size, infeasible: this.#causes.size };
  }

  begun(key: Key): void {
    this.#unfinished.add(key);
  }

  /** Whether the driver ended the latest attempt with an answer that it failed. */
  endedWithError(key: Key): boolean {
    return this.#finalErrors.has(key);
  }

  /** Whether the driver refused this size, in bytes, not long ago. Another size ends the refusal. */
  refusal(key: Key, bytes: bigint): Refusal | undefined {
    const remainingMs = this.#refusals.remaining(key, String(bytes));
    const cause = this.#causes.get(key);
    if (remainingMs !== undefined && cause !== undefined) return { cause, remainingMs };
    this.#causes.delete(key);
    return undefined;
  }

  failed(key: Key, bytes: bigint, failure: ExpandFailure): void {
    this.#unrefuse(key);
    if (failure.kind === "uncertain") this.#finalErrors.delete(key);
    if (failure.kind !== "final") return;
    this.#finalErrors.add(key);
    if (!failure.infeasible) return;
    this.#refusals.add(key, String(bytes));
    this.#causes.set(key, beginningOf(failure.message, maxConditionBytes));
  }

  /** The driver has expanded the volume. It is not asked again for that size before this is saved. */
  expanded(key: Key, bytes: bigint, expansion: Expansion): void {
    this.#finalErrors.delete(key);
    this.#unrefuse(key);
    this.#unsaved.set(key, { bytes, expansion });
  }

  /** The expansion that is yet to be saved: to this size, or to whichever. */
  unsaved(key: Key, bytes?: bigint): Expansion | undefined {
    const unsaved = this.#unsaved.get(key);
    return bytes === undefined || unsaved?.bytes === bytes ? unsaved?.expansion : undefined;
  }

  /** The expansion could not be saved. Returns how often and since when. */
  saveFailed(key: Key, now: number): RepeatedFailure {
    return this.#unsaved.failed(key, now);
  }

  /** The claim asks for nothing: it has what it requests, or waits for kubelet. How the latest attempt ended remains known. */
  ended(key: Key): void {
    this.#unfinished.delete(key);
    this.#unrefuse(key);
    this.#unsaved.delete(key);
  }

  /** The claim is gone. */
  forget(key: Key): void {
    this.ended(key);
    this.#finalErrors.delete(key);
  }

  #unrefuse(key: Key): void {
    this.#refusals.delete(key);
    this.#causes.delete(key);
  }
}
