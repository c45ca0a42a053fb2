import type { Clock, Logger } from "@csi-sidecars/base";
import { type Client, isGone, isResourceExpired, type KubeObject, type Resource, replayDeletedObjects } from "@csi-sidecars/kube";

/** More are deleted only where nobody looks for one of them. */
const mostSnapshots = 10_000;

interface HistoryContext {
  readonly kube: Pick<Client, "list" | "watch">;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * How an object was deleted. The API server does not look at finalizers again that are added while it deletes an object: then the deletion is over
 * before ours were seen, and nobody has let the content go.
 */
export type Deletion = "under our finalizer" | "regular";

interface DeletedObject {
  readonly uid?: string;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
}

export function deletionOf({ finalizers = [], deletionTimestamp }: DeletedObject, finalizer: string): Deletion {
  return deletionTimestamp === undefined && finalizers.includes(finalizer) ? "under our finalizer" : "regular";
}

/**
 * Which objects of a kind were deleted, by their uids: those that the watch has shown, and those of before that are in the API server's history, which
 * is read when it is first asked about.
 */
export class DeletedSnapshots<T extends KubeObject> {
  readonly #c: HistoryContext;
  readonly #resource: Resource<T>;
  readonly #finalizer: string;
  readonly #deletions = new Map<string, Deletion>();
  #history: Promise<void> | undefined;

  /** `finalizer`: the one that an object has from us before its content exists. */
  constructor(c: HistoryContext, resource: Resource<T>, finalizer: string) {
    this.#c = c;
    this.#resource = resource;
    this.#finalizer = finalizer;
  }

  /** The watch has shown a deletion. */
  add(deleted: DeletedObject): void {
    this.#deletions.set(deleted.uid ?? "", deletionOf(deleted, this.#finalizer));
    for (const oldest of this.#deletions.keys()) {
      if (this.#deletions.size <= mostSnapshots) break;
      this.#deletions.delete(oldest);
    }
  }

  /** `undefined` if the object was not deleted, as far as is known. */
  async find(uid: string, signal: AbortSignal): Promise<Deletion | undefined> {
    this.#history ??= this.#readHistory(signal);
    try {
      await this.#history;
    } catch (error) {
      this.#history = undefined;
      throw error;
    }
    return this.#deletions.get(uid);
  }

  async #readHistory(signal: AbortSignal): Promise<void> {
    const { kube, clock, log } = this.#c;
    const onDelete = ({ metadata = {} }: T) => this.add(metadata);
    try {
      await replayDeletedObjects(kube, this.#resource, { clock, signal, onDelete });
      signal.throwIfAborted();
    } catch (error) {
      if (!isGone(error) && !isResourceExpired(error)) throw error;
      log.error(error, "The API server does not remember which snapshots were deleted recently", { kind: this.#resource.kind });
    }
  }
}
