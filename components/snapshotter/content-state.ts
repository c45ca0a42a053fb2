import { type Parameters, type RepeatedFailure, UnsavedResults } from "@csi-sidecars/controller";
import type { Key } from "@csi-sidecars/kube";
import { readinessPollMs } from "./readiness-poll.ts";

interface Polls {
  readonly firstAnswer: number;
  readonly next: number;
}

/** How many refusals in a row are believed after a call whose outcome is not known. */
const believedRefusals = 3;

/**
 * What is known of contents beside what is stored, by their uids. All of it may be lost: then the driver is called once more than necessary,
 * or a little earlier. Times are those of the monotonic clock. `Taken` is a snapshot or group snapshot as the driver describes it.
 */
export class ContentState<Taken> {
  readonly #retryIntervalStartMs: number;
  readonly #unsaved = new UnsavedResults<Taken>();
  readonly #polls = new Map<Key, Polls>();
  readonly #parameters = new Map<Key, Parameters>();
  readonly #refusals = new Map<Key, number>();
  readonly #deleted = new Set<Key>();

  constructor(retryIntervalStartMs: number) {
    this.#retryIntervalStartMs = retryIntervalStartMs;
  }

  /** How many contents something is known of. */
  get size(): number {
    return (
      new Set([...this.#polls.keys(), ...this.#parameters.keys(), ...this.#refusals.keys(), ...this.#deleted]).size + this.#unsaved.size
    );
  }

  /** The driver is about to be called with these parameters of the class. */
  calling(uid: Key, parameters: Parameters): void {
    this.#parameters.set(uid, parameters);
  }

  /** What it was called with last, and has not answered yet. */
  calledWith(uid: Key): Parameters | undefined {
    return this.#parameters.get(uid);
  }

  /**
   * It has refused to take the snapshot. Returns whether there is none: only a refusal of the first call says so. After a call whose outcome is
   * not known the snapshot may exist all the same, and the refusal have another cause: then it takes several in a row.
   */
  refused(uid: Key, isFirst: boolean): boolean {
    const refusals = (this.#refusals.get(uid) ?? 0) + 1;
    const isBelieved = isFirst || refusals >= believedRefusals;
    if (isBelieved) this.#settle(uid);
    else this.#refusals.set(uid, refusals);
    return isBelieved;
  }

  /** The outcome of the call is not known. */
  uncertain(uid: Key): void {
    this.#refusals.delete(uid);
  }

  /** It has described the snapshot, and is not asked again before that is saved. */
  answered(uid: Key, snapshot: Taken): void {
    this.#settle(uid);
    this.#unsaved.set(uid, snapshot);
  }

  /** What it answered and is yet to be saved. */
  unsaved(uid: Key): Taken | undefined {
    return this.#unsaved.get(uid);
  }

  /** The answer could not be saved. Returns how often and since when. */
  saveFailed(uid: Key, now: number): RepeatedFailure {
    return this.#unsaved.failed(uid, now);
  }

  /** The answer is saved. Returns how long to wait before the driver is asked again, if the snapshot was not ready. */
  saved(uid: Key, now: number): number {
    this.#unsaved.delete(uid);
    const firstAnswer = this.#polls.get(uid)?.firstAnswer ?? now;
    const wait = readinessPollMs(now - firstAnswer, this.#retryIntervalStartMs);
    this.#polls.set(uid, { firstAnswer, next: now + wait });
    return wait;
  }

  /** How long the driver is not to be asked, as its last answer is young. */
  untilNextPoll(uid: Key, now: number): number {
    return Math.max(0, (this.#polls.get(uid)?.next ?? now) - now);
  }

  /** The driver has deleted the snapshot, and is not called again for that. */
  deleted(uid: Key): void {
    this.#deleted.add(uid);
  }

  isDeleted(uid: Key): boolean {
    return this.#deleted.has(uid);
  }

  /** The content is gone, or asks for nothing. */
  forget(uid: Key): void {
    this.#unsaved.delete(uid);
    this.#polls.delete(uid);
    this.#deleted.delete(uid);
    this.#settle(uid);
  }

  #settle(uid: Key): void {
    this.#parameters.delete(uid);
    this.#refusals.delete(uid);
  }
}
