import type { Client, KubeObject, Resource, WatchEvent } from "@csi-sidecars/kube";

/** Makes a component's caches lag behind: while a kind is held, no event of it arrives. */
export class HeldWatches {
  readonly #held = new Map<string, PromiseWithResolvers<void>>();

  /** Returns how to let the events go, in their order. */
  hold({ plural }: Pick<Resource, "plural">): () => void {
    const gate = Promise.withResolvers<void>();
    this.#held.set(plural, gate);
    return () => {
      this.#held.delete(plural);
      gate.resolve();
    };
  }

  /** The client of the informers. */
  client(client: Client): Client {
    const held = this.#held;
    return {
      ...client,
      async watch<T extends KubeObject>(resource: Resource<T>, ...options: [Parameters<Client["watch"]>[1]]) {
        const events = await client.watch(resource, ...options);
        async function* afterGate(): AsyncGenerator<WatchEvent<T>> {
          for await (const event of events) {
            await held.get(resource.plural)?.promise;
            yield event;
          }
        }
        return afterGate();
      },
    };
  }
}
