import { type Client, type KubeObject, type Resource, StatusError, type WatchEvent } from "@csi-sidecars/kube";

/** Lets the events go in their order; `expired` drops them, so that the component has to list again. */
export type Release = (how?: "expired") => void;

/** Makes what watches tell a component lag behind: while a kind is held, no event of it arrives. */
export class HeldWatches {
  readonly #held = new Map<
    string,
    { readonly gate: PromiseWithResolvers<"expired" | undefined>; readonly reached: PromiseWithResolvers<void> }
  >();

  /** Returns how to let the events go. */
  hold({ plural }: Pick<Resource, "plural">): Release {
    const gate = Promise.withResolvers<"expired" | undefined>();
    this.#held.set(plural, { gate, reached: Promise.withResolvers() });
    return (how) => {
      this.#held.delete(plural);
      gate.resolve(how);
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
            const how = await stop?.gate.promise;
            if (how === "expired") throw new StatusError({ code: 410, reason: "Expired", message: "too old resource version" });
            yield event;
          }
        }
        return afterGate();
      },
    };
  }
}
