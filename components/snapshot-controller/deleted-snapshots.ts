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
 * Which objects of a kind were deleted, by their uids: those that the watch has shown, and those of before that are in the API server's history, which
 * is read when it is first asked about.
 */
export class DeletedSnapshots<T extends KubeObject> {
  readonly #c: HistoryContext;
  readonly #resource: Resource<T>;
  readonly #uids = new Set<string>();
  #history: Promise<void> | undefined;

  constructor(c: HistoryContext, resource: Resource<T>) {
    this.#c = c;
    this.#resource = resource;
  }

  /** The watch has shown a deletion. */
  add(uid: string): void {
    this.#uids.add(uid);
    for (const oldest of this.#uids) {
      if (this.#uids.size <= mostSnapshots) break;
      this.#uids.delete(oldest);
    }
  }

  async has(uid: string, signal: AbortSignal): Promise<boolean> {
    this.#history ??= this.#readHistory(signal);
    try {
      await this.#history;
    } catch (error) {
      this.#history = undefined;
      throw error;
    }
    return this.#uids.has(uid);
  }

  async #readHistory(signal: AbortSignal): Promise<void> {
    const { kube, clock, log } = this.#c;
    const onDelete = ({ metadata }: T) => this.add(metadata?.uid ?? "");
    try {
      await replayDeletedObjects(kube, this.#resource, { clock, signal, onDelete });
      signal.throwIfAborted();
    } catch (error) {
      if (!isGone(error) && !isResourceExpired(error)) throw error;
      log.error(error, "The API server does not remember which snapshots were deleted recently", { kind: this.#resource.kind });
    }
  }
}
