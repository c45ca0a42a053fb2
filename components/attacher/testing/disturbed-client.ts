import { type Client, type Resource, StatusError, TransportError } from "@csi-sidecars/kube";

/** What goes wrong with writes of one kind: the server refuses, or does what it is asked and the answer is lost, or the watches are held from then on. */
export interface Disturbance {
  readonly resource: Resource;
  readonly subresource?: "status";
  readonly how: "refused" | "lost" | "unseen";
  times: number;
  /** What happens meanwhile, unseen. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** A client whose patches fail as told, on whichever server; and whose watches can be held back. */
export function disturbedClient(client: Client): Client & { readonly disturbances: Disturbance[]; hold(): void; release(): void } {
  const disturbances: Disturbance[] = [];
  let open = Promise.resolve();
  let release = () => {};
  const hold = () => {
    open = new Promise((resolve) => {
      release = resolve;
    });
  };
  return {
    ...client,
    disturbances,
    hold,
    release: () => release(),
    async patch(resource, ref, patch, options) {
      const found = disturbances.find(
        (each) => each.times > 0 && each.resource.plural === resource.plural && each.subresource === options?.subresource,
      );
      if (!found) return client.patch(resource, ref, patch, options);
      found.times--;
      if (found.how === "unseen") {
        hold();
        await found.meanwhile?.();
        return client.patch(resource, ref, patch, options);
      }
      if (found.how === "refused") throw new StatusError({ code: 403, reason: "Forbidden", message: "mock error" });
      await client.patch(resource, ref, patch, options);
      throw new TransportError("reset", "connection reset by peer");
    },
    async watch(resource, options) {
      const events = await client.watch(resource, options);
      return (async function* () {
        for await (const event of events) {
          await open;
          yield event;
        }
      })();
    },
  };
}
