import { isLasting, UnsavedResults } from "@csi-sidecars/controller";

/**
 * What is remembered of contents from one attempt to the next, by their uid. A process that knows nothing of it calls the driver once more
 * than necessary. `Taken` is what the driver says of a snapshot, `Request` what it was asked.
 */
export class ContentMemory<Taken, Request> {
  readonly #unsaved = new UnsavedResults<{ readonly taken: Taken } | "deleted">();
  readonly #requests = new Map<string, Request>();
  readonly #firstAnswers = new Map<string, number>();

  /** What the driver was asked last to take. */
  request(uid: string): Request | undefined {
    return this.#requests.get(uid);
  }

  asked(uid: string, request: Request): void {
    this.#requests.set(uid, request);
  }

  /** The driver has described the snapshot. It is not asked again before this is saved. */
  answered(uid: string, taken: Taken, now: number): void {
    this.#unsaved.set(uid, { taken });
    if (!this.#firstAnswers.has(uid)) this.#firstAnswers.set(uid, now);
  }

  /** What is yet to be saved. */
  unsaved(uid: string): Taken | undefined {
    const unsaved = this.#unsaved.get(uid);
    return unsaved === "deleted" ? undefined : unsaved?.taken;
  }

  saved(uid: string): void {
    this.#unsaved.delete(uid);
    this.#requests.delete(uid);
  }

  /** How long ago the driver described the snapshot first. */
  sinceFirstAnswer(uid: string, now: number): number {
    return now - (this.#firstAnswers.get(uid) ?? now);
  }

  /** The driver has deleted the snapshot: it is not asked again, even if that cannot be saved. */
  deleted(uid: string): void {
    this.#unsaved.set(uid, "deleted");
  }

  isDeleted(uid: string): boolean {
    return this.#unsaved.get(uid) === "deleted";
  }

  /** Whether what the driver has answered is known and cannot be saved: `lasting` once users are to be told. */
  saveFailed(uid: string, now: number): "no" | "briefly" | "lasting" {
    if (this.#unsaved.get(uid) === undefined) return "no";
    return isLasting(this.#unsaved.failed(uid, now), now) ? "lasting" : "briefly";
  }

  /** The content is gone. */
  forget(uid: string): void {
    this.saved(uid);
    this.#firstAnswers.delete(uid);
  }

  /** How much is kept. */
  get size(): number {
    return this.#unsaved.size + this.#requests.size + this.#firstAnswers.size;
  }
}
