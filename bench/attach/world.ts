import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, CSINode, connect, createClient, loadConfig, userAgent } from "@csi-sidecars/kube";
import { type DriverProcess, startDriverProcess } from "@csi-sidecars/testcluster";
import { inParallel } from "../shared/in-parallel.ts";
import type { Flavour } from "../shared/server.ts";
import { attachedVolume, driverName, nodeCount } from "../shared/volumes.ts";
import type { Workbench } from "../shared/workbench.ts";
import { type CountingServer, startCountingServer } from "./server.ts";

/** What all subjects work in, one after the other. */
export interface World {
  readonly bench: Workbench;
  readonly server: CountingServer;
  readonly driver: DriverProcess;
  readonly admin: Client;
}

/**
 * An API server without controllers, nodes that have the driver, and the driver with `volumes` volumes. The driver does not list
 * them, so nobody has a reason to compare.
 */
export async function startWorld(bench: Workbench, flavour: Flavour, users: number, volumes: number): Promise<World> {
  const server = await startCountingServer(bench, flavour, users);
  const controller = ["PUBLISH_UNPUBLISH_VOLUME"] as const;
  const driver = await startDriverProcess({
    name: driverName,
    capabilities: { plugin: ["CONTROLLER_SERVICE"], controller, expansion: [], groupController: [], node: [] },
  });
  bench.defer(async () => driver[Symbol.asyncDispose]());
  await inParallel(volumes, 20, (index) => driver.addVolume({ id: attachedVolume(index).volume.spec?.csi?.volumeHandle ?? "" }));
  const transport = connect(loadConfig({ kubeconfig: server.adminKubeconfig, env: {} }), {
    userAgent: userAgent({ name: "bench", version: "v0.0.0" }),
  });
  bench.defer(async () => transport.close());
  const admin = createClient({ transport, clock: systemClock, log: silentLogger, name: "bench", qps: -1, burst: 0 });
  await inParallel(nodeCount, 20, (index) => {
    const name = nodeName(index);
    return admin.create(CSINode, { metadata: { name }, spec: { drivers: [{ name: driverName, nodeID: name, topologyKeys: [] }] } });
  });
  return { bench, server, driver, admin };
}

/** As in {@link attachedVolume}. */
const nodeName = (index: number): string => attachedVolume(index).attachment.spec.nodeName;
