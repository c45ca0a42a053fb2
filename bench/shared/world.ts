import type { Client } from "@csi-sidecars/kube";
import { type DriverProcess, startDriverProcess } from "@csi-sidecars/testcluster";
import type { CountingServer } from "./counting-server.ts";
import { driverName } from "./volumes.ts";
import type { Workbench } from "./workbench.ts";

/** What all controllers work in, one after the other. */
export interface World {
  readonly bench: Workbench;
  readonly server: CountingServer;
  readonly driver: DriverProcess;
  /** Without a limit. */
  readonly admin: Client;
}

type ControllerCapability = "CREATE_DELETE_VOLUME" | "PUBLISH_UNPUBLISH_VOLUME";

/** Adds a driver to a server. It does not list its volumes, so nobody has a reason to compare. */
export async function worldWith(
  bench: Workbench,
  server: CountingServer,
  controller: readonly [ControllerCapability, ...ControllerCapability[]],
): Promise<World> {
  const driver = await startDriverProcess({
    name: driverName,
    capabilities: { plugin: ["CONTROLLER_SERVICE"], controller, expansion: [], groupController: [], node: [] },
  });
  bench.defer(async () => driver[Symbol.asyncDispose]());
  return { bench, server, driver, admin: server.admin };
}
