import { consolidatedLease, holderOf } from "../e2e/election.ts";
import type { SidecarProcess } from "../e2e/sidecar-process.ts";
import { until } from "../e2e/until.ts";
import type { World } from "../e2e/world.ts";
import type { Mortal } from "./rampage.ts";
import { SupervisedSidecar } from "./supervised-sidecar.ts";

/** Two of which one leads. The leader is killed; every second time it stays away until the other one has taken over. */
export class Replicas implements Mortal, AsyncDisposable {
  readonly #world: World;
  readonly #replicas: ReadonlyMap<string, SupervisedSidecar>;
  #kills = 0;

  constructor(world: World, start: (name: string) => SidecarProcess) {
    this.#world = world;
    this.#replicas = new Map(["replica-a", "replica-b"].map((name) => [name, new SupervisedSidecar(() => start(name))]));
  }

  /** How often another one led after a kill. */
  takeovers = 0;

  async kill(): Promise<void> {
    const holder = await this.#holder();
    const leader = this.#replicas.get(holder);
    if (this.#kills++ % 2 === 0) return leader?.kill();
    await leader?.killUntil(async () => {
      await until("another leader", async () => (await this.#holder().catch(() => holder)) !== holder);
      this.takeovers++;
    });
  }

  async stop(): Promise<readonly (number | null)[]> {
    return Promise.all([...this.#replicas.values()].map((replica) => replica.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.#replicas.values()) await replica[Symbol.asyncDispose]();
  }

  #holder(): Promise<string> {
    const look = () => holderOf(this.#world.cluster, consolidatedLease).catch(() => undefined);
    return until("a leader", async () => {
      const holder = await look();
      return holder && this.#replicas.has(holder) ? holder : undefined;
    });
  }
}
