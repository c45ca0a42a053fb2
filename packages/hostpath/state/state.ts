import { type Logger, silentLogger } from "@csi-sidecars/base";
import type { Checkpoint } from "./checkpoint.ts";
import { RecordIndex, Totals } from "./record-index.ts";
import type { Change, GroupRecord, SnapshotRecord, VolumeRecord } from "./records.ts";

/** Where commits are written before they take effect. */
export interface Persistence {
  /** Resolves when the commits are durable; a rejection means that none is. */
  append(commits: readonly (readonly Change[])[]): Promise<void>;
  /** Called between appends: may write a checkpoint, so that the next start reads less. */
  checkpoint(state: Pick<State, "size" | "everything">, force: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Keeps nothing. */
const inMemory: Persistence = { append: async () => {}, checkpoint: async () => {}, close: async () => {} };

interface Waiting {
  readonly changes: readonly Change[];
  /** Called as soon as the commit is durable. */
  readonly onDurable?: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The volumes, snapshots and groups of the driver. A change becomes visible only once it is durable, so that no answer is undone by a
 * crash; commits that arrive while one is being written are written together.
 */
export class State {
  readonly volumes = new RecordIndex<VolumeRecord>();
  readonly snapshots = new RecordIndex<SnapshotRecord>();
  readonly groups = new RecordIndex<GroupRecord>();
  /** Bytes in volumes, by kind. */
  readonly used = new Totals();
  /** Attached volumes, by node. */
  readonly attached = new Totals();
  readonly #snapshotsOf = new Map<string, Set<string>>();
  readonly #persistence: Persistence;
  readonly #log: Logger;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;

  constructor(persistence: Persistence = inMemory, log: Logger = silentLogger) {
    this.#persistence = persistence;
    this.#log = log;
  }

  /** Applies what was read at the start. */
  restore(changes: Iterable<Change>): void {
    for (const change of changes) this.#apply(change);
  }

  /** Makes changes durable, together or not at all, and then visible. */
  commit(changes: readonly Change[], onDurable?: () => void): Promise<void> {
    const done = new Promise<void>((resolve, reject) => this.#waiting.push({ changes, onDurable, resolve, reject }));
    this.#writing ??= this.#write();
    return done;
  }

  /** The snapshots of a volume, in the order of their ids. */
  snapshotsOf(volumeId: string): readonly string[] {
    return Array.from(this.#snapshotsOf.get(volumeId) ?? []).sort();
  }

  /** How many records there are. */
  get size(): number {
    return this.volumes.size + this.snapshots.size + this.groups.size;
  }

  everything(): Checkpoint {
    return { volumes: [...this.volumes.values()], snapshots: [...this.snapshots.values()], groups: [...this.groups.values()] };
  }

  /** Waits for writes in flight, writes a checkpoint if possible, and closes the files. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#checkpoint(true);
    await this.#persistence.close();
  }

  /** Closes the files as a crash would: without a checkpoint. */
  async abandon(): Promise<void> {
    await this.#writing;
    await this.#persistence.close();
  }

  async #write(): Promise<void> {
    // Commits of the same turn of the event loop are written with one fsync.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#persistence.append(batch.map(({ changes }) => changes));
      } catch (error) {
        for (const { reject } of batch) reject(new Error("cannot write the state", { cause: error }));
        continue;
      }
      for (const { changes, onDurable, resolve, reject } of batch) {
        for (const change of changes) this.#apply(change);
        this.#logChanges(changes);
        try {
          onDurable?.();
          resolve();
        } catch (error) {
          reject(error);
        }
      }
      await this.#checkpoint(false);
    }
    // In the same tick in which the queue was found empty: the next commit starts a new write.
    this.#writing = undefined;
  }

  /** Nothing is lost if this fails: the journal has every change. */
  async #checkpoint(force: boolean): Promise<void> {
    await this.#persistence
      .checkpoint(this, force)
      .catch((error: unknown) => this.#log.error(error, "Cannot write a checkpoint of the state; the journal keeps everything"));
  }

  #logChanges(changes: readonly Change[]): void {
    const line = this.#log.v(4);
    if (!line.enabled) return;
    for (const change of changes) {
      if ("remove" in change) line.info(`Removed ${change.remove}`, { id: change.id });
      else line.info(`Saved ${change.put}`, { id: change.record.id, name: change.record.name });
    }
  }

  #apply(change: Change): void {
    if ("remove" in change) {
      if (change.remove === "volume") this.#count(this.volumes.remove(change.id), undefined);
      else if (change.remove === "snapshot") this.#link(this.snapshots.remove(change.id), undefined);
      else this.groups.remove(change.id);
    } else if (change.put === "volume") this.#count(this.volumes.put(change.record), change.record);
    else if (change.put === "snapshot") this.#link(this.snapshots.put(change.record), change.record);
    else this.groups.put(change.record);
  }

  #count(before: VolumeRecord | undefined, after: VolumeRecord | undefined): void {
    if (before) this.used.add(before.kind, -before.size);
    if (after) this.used.add(after.kind, after.size);
    for (const { nodeId } of before?.attachments ?? []) this.attached.add(nodeId, -1n);
    for (const { nodeId } of after?.attachments ?? []) this.attached.add(nodeId, 1n);
  }

  #link(before: SnapshotRecord | undefined, after: SnapshotRecord | undefined): void {
    if (before) {
      const ids = this.#snapshotsOf.get(before.volumeId);
      ids?.delete(before.id);
      if (ids?.size === 0) this.#snapshotsOf.delete(before.volumeId);
    }
    if (!after) return;
    const ids = this.#snapshotsOf.get(after.volumeId) ?? new Set();
    this.#snapshotsOf.set(after.volumeId, ids.add(after.id));
  }
}
