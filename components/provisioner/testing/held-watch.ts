import type { Client, KubeObject, Resource, WatchEvent } from "@csi-sidecars/kube";

/** Makes what watches tell a component lag behind: while a kind is held, no event of it arrives. */
export class HeldWatches {
  readonly #held = new Map<string, { readonly gate: PromiseWithResolvers<void>; readonly reached: PromiseWithResolvers<void> }>();

  /** Returns how to let the events go, in their order. */
  hold({ plural }: Pick<Resource, "plural">): () => void {
    const gate = Promise.withResolvers<void>();
    this.#held.set(plural, { gate, reached: Promise.withResolvers() });
    return () => {
      this.#held.delete(plural);
      gate.resolve();
    };
  }

  /** Waits for the first event that is held. */
  async reached({ plural }: Pick<Resource, "plural">): Promise<void> {
    await this.#held.get(plural)?.reached.promise;
  }

  client(client: Client): Client {
    const held = this.#held;
    return {
      ...client,
      async watch<T extends KubeObject>(resource: Resource<T>, ...options: [Parameters<Client["watch"]>[1]]) {
        const events = await client.watch(resource, ...options);
        async function* afterGate(): AsyncGenerator<WatchEvent<T>> {
          for await (const event of events) {
            const stop = held.get(resource.plural);
            stop?.reached.resolve();
            await stop?.gate.promise;
            yield event;
          }
        }
        return afterGate();
      },
    };
  }
}
