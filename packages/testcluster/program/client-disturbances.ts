import { type Client, type Resource, StatusError } from "@csi-sidecars/kube";
import { HeldWatches, type Release } from "./held-watches.ts";
import { connectionReset, interceptedClient, type ObjectVerb } from "./intercepted-client.ts";

/** What goes wrong with requests of one kind. */
export interface Disturbance {
  /** Patches unless told. */
  readonly verb?: ObjectVerb;
  readonly resource: Resource;
  readonly subresource?: "status";
  /**
   * - `sent`: disturbed only by what happens meanwhile
   * - a promise: sent when it resolves
   * - `refused` (403), `conflict` (409), `invalid` (422), `failed` (500): the server answers so, and nothing is stored
   * - `lost`: carried out, and the answer is lost
   * - `unseen`: carried out, and all watches are held back from then on
   * - `dies before`, `dies after`: the process dies when it would send it, or when it was carried out
   */
  readonly how: Promise<unknown> | "sent" | keyof typeof answers | "lost" | "unseen" | "dies before" | "dies after";
  /** How often; once unless told. Counted down. */
  times?: number;
  /** What happens right before the request; while the watches are held back if it is to be `unseen`. */
  readonly meanwhile?: () => Promise<unknown>;
}

const answers = {
  refused: { code: 403, reason: "Forbidden", message: "mock error" },
  conflict: { code: 409, reason: "Conflict", message: "the object has been modified" },
  invalid: { code: 422, reason: "Invalid", message: "found wrong by the test" },
  failed: { code: 500, reason: "InternalError", message: "refused by the test" },
} as const;

/** Disturbs the clients of a component, on whichever server: requests fail as told, and watches can be held back. */
export class ClientDisturbances {
  readonly #disturbances: Disturbance[] = [];
  readonly #watches = new HeldWatches();
  #release: Release = () => {};

  add(...disturbances: readonly Disturbance[]): void {
    this.#disturbances.push(...disturbances);
  }

  /** Keeps the events of a kind from the caches until what it returns is called. */
  readonly holdWatch = (resource: Pick<Resource, "plural">): Release => this.#watches.hold(resource);

  /** Holds back all watch events until `releaseWatches`. */
  readonly holdWatches = (): void => {
    this.#release = this.#watches.hold();
  };

  readonly releaseWatches: Release = (how) => this.#release(how);

  /** For {@link StartComponentOptions.wrapClient}: the informers have a client of their own. */
  readonly wrap = (client: Client, { name, kill }: { readonly name: string; kill(): void }): Client =>
    name === "informers" ? this.#watches.client(client) : this.#disturbed(client, kill);

  #disturbed(client: Client, kill: () => void): Client {
    return interceptedClient(client, async (verb, resource, send, subresource) => {
      const found = this.#disturbances.find(
        (each) =>
          (each.verb ?? "patch") === verb &&
          each.resource.plural === resource.plural &&
          each.subresource === subresource &&
          (each.times ?? 1) > 0,
      );
      if (!found) return send();
      const { how } = found;
      found.times = (found.times ?? 1) - 1;
      if (how === "unseen") this.holdWatches();
      await found.meanwhile?.();
      if (how instanceof Promise) return how.then(send);
      if (how === "sent" || how === "unseen") return send();
      if (how === "lost" || how === "dies after") await send();
      else if (how !== "dies before") throw new StatusError(answers[how]);
      if (how !== "lost") kill();
      throw connectionReset();
    });
  }
}
