import { type Client, type KubeObject, type Resource, StatusError, type WatchEvent } from "@csi-sidecars/kube";

/** Lets the events go in their order; `expired` drops them, so that the component has to list again. */
export type Release = (how?: "expired") => void;

interface Gate {
  readonly open: PromiseWithResolvers<"expired" | undefined>;
  readonly reached: PromiseWithResolvers<void>;
  readonly release: Release;
}

/** Makes what watches tell a component lag behind: while a kind is held, no event of it arrives. */
export class HeldWatches {
  readonly #gates = new Map<string, Gate>();

  /** Holds one kind, or all that have no gate of their own. Returns how to let the events go. */
  hold(resource?: Pick<Resource, "plural">): Release {
    const key = resource?.plural ?? "";
    const open = Promise.withResolvers<"expired" | undefined>();
    const before = this.#gates.get(key);
    const gate: Gate = {
      ...{ open, reached: Promise.withResolvers() },
      release: (how) => {
        if (this.#gates.get(key) === gate) this.#gates.delete(key);
        open.resolve(how);
        before?.release(how);
      },
    };
    this.#gates.set(key, gate);
    return gate.release;
  }

  /** Waits for the first event that is held. */
  async reached({ plural }: Pick<Resource, "plural">): Promise<void> {
    await this.#gate(plural)?.reached.promise;
  }

  client(client: Client): Client {
    const passed = <T extends KubeObject>(plural: string, events: AsyncIterable<WatchEvent<T>>) => this.#passed(plural, events);
    return {
      ...client,
      async watch<T extends KubeObject>(resource: Resource<T>, ...options: [Parameters<Client["watch"]>[1]]) {
        return passed(resource.plural, await client.watch(resource, ...options));
      },
    };
  }

  async *#passed<E>(plural: string, events: AsyncIterable<E>): AsyncGenerator<E> {
    for await (const event of events) {
      const gate = this.#gate(plural);
      gate?.reached.resolve();
      const how = await gate?.open.promise;
      if (how === "expired") throw new StatusError({ code: 410, reason: "Expired", message: "too old resource version" });
      yield event;
    }
  }

  #gate(plural: string): Gate | undefined {
    return this.#gates.get(plural) ?? this.#gates.get("");
  }
}
