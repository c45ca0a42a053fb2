import type { Clock } from "@csi-sidecars/base";
import type { Content } from "../fields.ts";

/** How long a request may be on its way after the process that sent it was killed: no proxy or server keeps one longer. */
const longestMs = 10 * 60_000;
/** Snapshots that go without ever having had a content are few. */
const mostSnapshots = 10_000;

/**
 * The snapshots that went before their content was created, by their uids: the request may still be on its way, sent by a process that was killed,
 * or the deletion may have overtaken our finalizers. Then a content appears when nobody is left to delete it, and csi-snapshotter takes a snapshot
 * that nobody wants.
 */
export class LateContents {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #gone = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** A snapshot is let go, or is gone, and its content may appear yet. */
  expect(uid: string): void {
    const now = this.#clock.monotonic();
    this.#gone.set(uid, now);
    for (const [oldest, since] of this.#gone) {
      if (now - since < longestMs && this.#gone.size <= mostSnapshots) break;
      this.#gone.delete(oldest);
    }
  }

  /** Whether a content was created for a snapshot that went before. One that its user has made under another name is not. */
  isLate({ metadata, spec }: Content): boolean {
    const uid = spec?.volumeSnapshotRef?.uid ?? "";
    return spec?.source?.volumeHandle !== undefined && metadata.name === `snapcontent-${uid}` && this.#gone.has(uid);
  }
}
