import type { Clock } from "@csi-sidecars/base";

/** How long a request may be on its way after the process that sent it was killed: no proxy or server keeps one longer. */
const longestMs = 10 * 60_000;
/** Snapshots that go without ever having had a content are few. */
const mostSnapshots = 10_000;

/**
 * The snapshots and group snapshots that went before their content was created, by their uids: the request may still be on its way, sent by a
 * process that was killed, or the deletion may have overtaken our finalizers. Then a content appears when nobody is left to delete it, and
 * csi-snapshotter takes a snapshot that nobody wants.
 */
export class LateContents {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #gone = new Map<string, number>();
  readonly #spared = new Set<string>();

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

  /** The snapshot has not gone. */
  exists(uid: string): void {
    this.#gone.delete(uid);
  }

  /** Whether a content of this snapshot is late. */
  isExpected(uid: string): boolean {
    return this.#gone.has(uid);
  }

  /** Nobody is known to have deleted the snapshot: its content stays. */
  spare(uid: string): void {
    this.#spared.add(uid);
  }

  isSpared(uid: string): boolean {
    return this.#spared.has(uid);
  }

  /** The content is gone. */
  forgetSpared(uid: string): void {
    this.#spared.delete(uid);
  }
}

/** What decides about a content of either kind. */
export interface CreatedContent {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly spec?: { readonly deletionPolicy?: string };
  /** Of the snapshot that the controller created the content for; `undefined` where its user has made it. */
  readonly ownerUid: string | undefined;
  /** Whether the watch shows that snapshot. */
  readonly hasOwner: boolean;
  /** Whether the driver has taken it with a group, whose deletion it waits for. */
  readonly isOfGroup?: boolean;
}

/**
 * Whether a content is to be deleted because its snapshot went before it. Where the snapshot is not known that has to be found out: the process that
 * let it go may have been killed as well, or the content is restored from a backup without it. What a
 * group has is deleted with it, after its snapshots.
 */
export function lateness(content: CreatedContent, late: Pick<LateContents, "isExpected" | "isSpared">): "in time" | "late" | "unknown" {
  const { metadata, spec, ownerUid, hasOwner, isOfGroup = false } = content;
  const isToBeDeleted = spec?.deletionPolicy === "Delete" && metadata.deletionTimestamp === undefined;
  if (!isToBeDeleted || ownerUid === undefined) return "in time";
  if (late.isExpected(ownerUid)) return "late";
  return hasOwner || isOfGroup || late.isSpared(ownerUid) ? "in time" : "unknown";
}
