import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Relay, startRelay, startSocketRelay } from "@csi-sidecars/testcluster";
import { SidecarProcess } from "../../e2e/testing/sidecar-process.ts";
import { rolesFor, type World } from "../../e2e/testing/world.ts";

/** What a replica has to itself: a user, and a way to the API server and to the driver that can be cut or frozen. */
interface Links {
  readonly user: string;
  readonly kubeconfig: string;
  readonly api: Relay;
  readonly driver: Relay;
}

/** One replica of the program: a pod with its own name, whose container can be started again. */
export class Replica implements AsyncDisposable {
  readonly name: string;
  /** The user that its requests come from. */
  readonly user: string;
  /** Its way to the API server. */
  readonly api: Relay;
  /** Its way to the driver, which knows it as the caller of this name. */
  readonly driver: Relay;
  readonly #args: readonly string[];
  #process: SidecarProcess | undefined;

  constructor(name: string, { user, kubeconfig, api, driver }: Links, flags: readonly string[]) {
    this.name = name;
    this.user = user;
    this.api = api;
    this.driver = driver;
    this.#args = [...flags, `--kubeconfig=${kubeconfig}`, `--csi-address=${driver.address}`];
  }

  /** The running process, or the last one. */
  get process(): SidecarProcess {
    if (!this.#process) throw new Error(`${this.name} was never started`);
    return this.#process;
  }

  get running(): boolean {
    return this.#process?.running ?? false;
  }

  /** Starts the container, unless it runs. */
  start(): SidecarProcess {
    if (!this.running) this.#process = new SidecarProcess(this.name, this.#args);
    return this.process;
  }

  /** Stops every thread of it until `resume`. Nothing tells it. */
  suspend(): void {
    this.process.signal("SIGSTOP");
  }

  resume(): void {
    this.process.signal("SIGCONT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.end("SIGKILL");
    await this.api[Symbol.asyncDispose]();
    await this.driver[Symbol.asyncDispose]();
  }
}

/** A replica that does not run yet, with the roles of these controllers. The driver must have its name among its `callers`. */
export async function addReplica(world: World, name: string, controllers: string, flags: readonly string[]): Promise<Replica> {
  const account = await world.account(rolesFor(controllers));
  const folder = join(world.folder, name);
  mkdirSync(folder);
  const api = await startRelay(world.cluster.url);
  const driver = await startSocketRelay(world.driver.addressOf(name), join(folder, "csi.sock"));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, readFileSync(account.kubeconfig, "utf8").replaceAll(world.cluster.url, api.address), { mode: 0o600 });
  return new Replica(name, { user: account.name, kubeconfig, api, driver }, [`--controllers=${controllers}`, ...flags]);
}
