import {
  type Client,
  type KubeObject,
  type ListOptions,
  type Resource,
  StatusError,
  type WatchEvent,
  type WatchOptions,
} from "@csi-sidecars/kube";

/** Makes informers list a kind again when a test says so: as the server has it, or as if there were no objects of it. */
export class RelistedKind {
  readonly #plural: string;
  #next: "right" | "empty" | undefined;
  #isEmpty = false;
  #listed = Promise.withResolvers<void>();

  constructor({ plural }: Pick<Resource, "plural">) {
    this.#plural = plural;
  }

  /** `change` makes the watch expire, and the list that follows is like this. Resolves when the informer has it. */
  async relist(how: "right" | "empty", change: () => Promise<unknown>): Promise<void> {
    this.#next = how;
    this.#listed = Promise.withResolvers();
    await change();
    await this.#listed.promise;
  }

  /** For the informers' client. Lists are not streamed. */
  client(right: Client): Client {
    return {
      ...right,
      list: async <T extends KubeObject>(resource: Resource<T>, options?: ListOptions) => {
        const list = await right.list(resource, options);
        if (resource.plural !== this.#plural) return list;
        if (!this.#next) this.#listed.resolve();
        return this.#isEmpty ? { ...list, items: [] } : list;
      },
      watch: async <T extends KubeObject>(resource: Resource<T>, options: WatchOptions) => {
        if (options.sendInitialEvents) throw new StatusError({ code: 422, reason: "Invalid", message: "sendInitialEvents is forbidden" });
        const events = await right.watch(resource, options);
        return resource.plural === this.#plural ? this.#expiring(events) : events;
      },
    };
  }

  async *#expiring<T>(events: AsyncIterable<WatchEvent<T>>): AsyncGenerator<WatchEvent<T>> {
    for await (const event of events) {
      if (this.#next) {
        this.#isEmpty = this.#next === "empty";
        this.#next = undefined;
        throw new StatusError({ code: 410, reason: "Expired", message: "too old resource version" });
      }
      yield event;
    }
  }
}
