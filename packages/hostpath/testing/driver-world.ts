import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Channel, type DriverClient, driverClient, GrpcError } from "@csi-sidecars/csi";
import { type HostpathDriver, startHostpathDriver } from "../driver.ts";
import type { HostpathOptions } from "../settings.ts";

/** A driver in a folder of its own, and a client of it on its socket. */
export interface World extends AsyncDisposable {
  readonly folder: string;
  readonly stateDir: string;
  readonly driver: HostpathDriver;
  readonly client: DriverClient;
  /** A path below the folder. */
  path(name: string): string;
  /** Ends the driver, gracefully or as a crash does, and starts another one on the same state. */
  restart(how: "stop" | "kill", changed?: Partial<HostpathOptions>): Promise<void>;
}

/** Starts a driver that publishes by links, unless told otherwise. */
export async function startWorld(options: Partial<HostpathOptions> = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "hostpath-"));
  const path = (name: string) => join(folder, name);
  const start = async (changed: Partial<HostpathOptions>) => {
    const driver = await startHostpathDriver({
      nodeId: "node-1",
      endpoint: path("csi.sock"),
      stateDir: path("state"),
      mountMode: "symlink",
      ...options,
      ...changed,
    });
    const channel = new Channel({ target: driver.target });
    return { driver, channel, client: driverClient(channel) };
  };
  let running = await start({}).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  return {
    folder,
    stateDir: path("state"),
    path,
    get driver() {
      return running.driver;
    },
    get client() {
      return running.client;
    },
    async restart(how, changed = {}) {
      running.channel.close();
      await running.driver[how]();
      running = await start(changed);
    },
    async [Symbol.asyncDispose]() {
      running.channel.close();
      await running.driver.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `NotFound: volume id x does not exist` for a call that fails; `OK` for one that does not. */
export async function outcome(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "OK",
    (error: unknown) => (error instanceof GrpcError ? `${error.codeName}: ${error.details}` : String(error)),
  );
}
