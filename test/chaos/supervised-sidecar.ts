import { consolidatedLease, holderOf } from "../e2e/testing/election.ts";
import type { SidecarProcess } from "../e2e/testing/sidecar-process.ts";
import { until } from "../e2e/testing/until.ts";
import type { World } from "../e2e/testing/world.ts";
import type { Mortal } from "./chaos.ts";

/** A sidecar that is started again whenever it ends, as a kubelet does. */
export class SupervisedSidecar implements AsyncDisposable {
  readonly #begin: () => SidecarProcess;
  #now: SidecarProcess;
  #stopped = false;
  #away: Promise<unknown> = Promise.resolve();

  constructor(begin: () => SidecarProcess) {
    this.#begin = begin;
    this.#now = this.#start();
  }

  /** Everything the present process has written so far. */
  get output(): string {
    return this.#now.output;
  }

  /** Ends it as by the kernel, without a last word; resolves when the next one runs. */
  async kill(): Promise<void> {
    await this.#now.end("SIGKILL");
  }

  /** Ends it in the same way, and starts it again only when something has come to pass. */
  async killUntil(comesToPass: () => Promise<unknown>): Promise<void> {
    const passed = Promise.withResolvers<void>();
    this.#away = passed.promise;
    try {
      await this.#now.end("SIGKILL");
      await comesToPass();
    } finally {
      passed.resolve();
    }
  }

  /** Ends it for good and returns its exit code. */
  async stop(): Promise<number | null> {
    this.#stopped = true;
    return this.#now.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await this.#now.end("SIGKILL");
  }

  #start(): SidecarProcess {
    const started = this.#begin();
    void started.exit().then(async () => {
      await this.#away;
      if (!this.#stopped) this.#now = this.#start();
    });
    return started;
  }
}

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
