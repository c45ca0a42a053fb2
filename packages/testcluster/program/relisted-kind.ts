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

  constructor({ plural }: Pick<Resource, "plural">) {
    this.#plural = plural;
  }

  /** The next event of the kind makes the watch expire; the list that follows is like this. */
  relist(how: "right" | "empty"): void {
    this.#next = how;
  }

  /** For the informers' client. Lists are not streamed. */
  client(right: Client): Client {
    return {
      ...right,
      list: async <T extends KubeObject>(resource: Resource<T>, options?: ListOptions) => {
        const list = await right.list(resource, options);
        return this.#isEmpty && resource.plural === this.#plural ? { ...list, items: [] } : list;
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
