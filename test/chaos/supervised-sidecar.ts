import { consolidatedLease, holderOf } from "../e2e/testing/election.ts";
import type { SidecarProcess } from "../e2e/testing/sidecar-process.ts";
import { until } from "../e2e/testing/until.ts";
import type { World } from "../e2e/testing/world.ts";
import type { Killable } from "./chaos.ts";

/** A sidecar that is restarted whenever it exits, as kubelet does. */
export class SupervisedSidecar implements AsyncDisposable {
  readonly #startProcess: () => SidecarProcess;
  #current: SidecarProcess;
  #stopped = false;
  #restart: Promise<unknown> = Promise.resolve();

  constructor(start: () => SidecarProcess) {
    this.#startProcess = start;
    this.#current = this.#start();
  }

  /** The output of the current process so far. */
  get output(): string {
    return this.#current.output;
  }

  /** Sends SIGKILL; it is restarted. */
  async kill(): Promise<void> {
    await this.#current.end("SIGKILL");
  }

  /** Sends SIGKILL, and restarts it only when `restartWhen` resolves. */
  async killUntil(restartWhen: () => Promise<unknown>): Promise<void> {
    const passed = Promise.withResolvers<void>();
    this.#restart = passed.promise;
    try {
      await this.#current.end("SIGKILL");
      await restartWhen();
    } finally {
      passed.resolve();
    }
  }

  /** Stops it without a restart and returns its exit code. */
  async stop(): Promise<number | null> {
    this.#stopped = true;
    return this.#current.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await this.#current.end("SIGKILL");
  }

  #start(): SidecarProcess {
    const started = this.#startProcess();
    void started.exit().then(async () => {
      await this.#restart;
      if (!this.#stopped) this.#current = this.#start();
    });
    return started;
  }
}

/** Two replicas, one of which leads. `kill` kills the leader; every second time it is restarted only after the other has taken over. */
export class Replicas implements Killable, AsyncDisposable {
  readonly #world: World;
  readonly #replicas: ReadonlyMap<string, SupervisedSidecar>;
  #kills = 0;

  constructor(world: World, start: (name: string) => SidecarProcess) {
    this.#world = world;
    this.#replicas = new Map(["replica-a", "replica-b"].map((name) => [name, new SupervisedSidecar(() => start(name))]));
  }

  /** How often the other replica took over. */
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
    const read = () => holderOf(this.#world.cluster, consolidatedLease).catch(() => undefined);
    return until("a leader", async () => {
      const holder = await read();
      return holder && this.#replicas.has(holder) ? holder : undefined;
    });
  }
}
