import { type Client, type Resource, StatusError } from "@csi-sidecars/kube";
import { connectionReset } from "./intercepted-client.ts";

/**
 * What goes wrong with patches of one kind: the server refuses, or it does what it is asked and the answer is lost, or the watches are
 * held back from then on. One that is `sent` is disturbed only by what happens meanwhile.
 */
export interface Disturbance {
  readonly resource: Resource;
  readonly subresource?: "status";
  readonly how: "sent" | "refused" | "lost" | "unseen";
  times: number;
  /** What happens right before the patch; while the watches are held back if it is to be `unseen`. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** Disturbs the clients of a component, on whichever server: patches fail as told, and watches can be held back. */
export class ClientDisturbances {
  readonly #disturbances: Disturbance[] = [];
  #open = Promise.resolve();
  #release = () => {};

  add(disturbance: Disturbance): void {
    this.#disturbances.push(disturbance);
  }

  /** Holds back all watch events until `releaseWatches`. */
  readonly holdWatches = (): void => {
    this.#open = new Promise((resolve) => {
      this.#release = resolve;
    });
  };

  readonly releaseWatches = (): void => this.#release();

  readonly wrap = (client: Client): Client => ({
    ...client,
    patch: async (resource, ref, patch, options) => {
      const found = this.#disturbances.find(
        (each) => each.times > 0 && each.resource.plural === resource.plural && each.subresource === options?.subresource,
      );
      if (!found) return client.patch(resource, ref, patch, options);
      found.times--;
      if (found.how === "unseen") this.holdWatches();
      await found.meanwhile?.();
      if (found.how === "unseen" || found.how === "sent") return client.patch(resource, ref, patch, options);
      if (found.how === "refused") throw new StatusError({ code: 403, reason: "Forbidden", message: "mock error" });
      await client.patch(resource, ref, patch, options);
      throw connectionReset();
    },
    watch: async (resource, options) => this.#held(await client.watch(resource, options)),
  });

  async *#held<E>(events: AsyncIterable<E>): AsyncGenerator<E> {
    for await (const event of events) {
      await this.#open;
      yield event;
    }
  }
}
