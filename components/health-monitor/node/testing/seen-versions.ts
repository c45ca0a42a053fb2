import { until } from "@csi-sidecars/base/testing";
import type { Client, KubeObject, Resource, WatchEvent } from "@csi-sidecars/kube";

/** What the caches of a component have seen of each kind: lets a test wait for its own writes to arrive there. */
export class SeenVersions {
  readonly #seen = new Map<string, bigint>();

  client(client: Client): Client {
    const noted = <T extends KubeObject>(plural: string, events: AsyncIterable<WatchEvent<T>>) => this.#noted(plural, events);
    return {
      ...client,
      async watch<T extends KubeObject>(resource: Resource<T>, ...options: [Parameters<Client["watch"]>[1]]) {
        return noted(resource.plural, await client.watch(resource, ...options));
      },
    };
  }

  /** Waits until the cache of the kind has this version of an object. */
  async reached<T extends KubeObject>({ plural }: Resource<T>, { metadata }: KubeObject): Promise<void> {
    const version = BigInt(metadata?.resourceVersion ?? 0);
    await until(`${plural} at version ${version}`, () => (this.#seen.get(plural) ?? 0n) >= version);
  }

  /** An event has been applied when the next one is asked for. */
  async *#noted<T extends KubeObject>(plural: string, events: AsyncIterable<WatchEvent<T>>): AsyncGenerator<WatchEvent<T>> {
    for await (const event of events) {
      yield event;
      if (event.type === "ERROR") continue;
      const version = BigInt(event.object.metadata?.resourceVersion ?? 0);
      if (version > (this.#seen.get(plural) ?? 0n)) this.#seen.set(plural, version);
    }
  }
}
