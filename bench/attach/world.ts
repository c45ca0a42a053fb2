import { CSINode } from "@csi-sidecars/kube";
import { inParallel } from "../shared/in-parallel.ts";
import type { Flavour } from "../shared/server.ts";
import { attachedVolume, driverName, nodeCount } from "../shared/volumes.ts";
import type { Workbench } from "../shared/workbench.ts";
import { type World, worldWith } from "../shared/world.ts";
import { startCountingServer } from "./server.ts";

/** An API server without controllers, nodes that have the driver, and the driver with `volumes` volumes. */
export async function startWorld(bench: Workbench, flavour: Flavour, users: number, volumes: number): Promise<World> {
  const world = await worldWith(bench, await startCountingServer(bench, flavour, users), ["PUBLISH_UNPUBLISH_VOLUME"]);
  const { driver, admin } = world;
  await inParallel(volumes, 20, (index) => driver.addVolume({ id: attachedVolume(index).volume.spec?.csi?.volumeHandle ?? "" }));
  await inParallel(nodeCount, 20, (index) => {
    const name = nodeName(index);
    return admin.create(CSINode, { metadata: { name }, spec: { drivers: [{ name: driverName, nodeID: name, topologyKeys: [] }] } });
  });
  return world;
}

/** As in {@link attachedVolume}. */
const nodeName = (index: number): string => attachedVolume(index).attachment.spec.nodeName;
