import { StorageClass } from "@csi-sidecars/kube";
import type { Flavour } from "../shared/server.ts";
import { driverName } from "../shared/volumes.ts";
import type { Workbench } from "../shared/workbench.ts";
import { type World, worldWith } from "../shared/world.ts";
import { startStorageServer } from "./server.ts";

/** The class of all claims here. */
export const className = "fast";

/** A cluster with binder and protection, a driver that attaches too, as most do, and a class that binds at once. */
export async function startWorld(bench: Workbench, flavour: Flavour, users: number): Promise<World> {
  const server = await startStorageServer(bench, flavour, users);
  const world = await worldWith(bench, server, ["CREATE_DELETE_VOLUME", "PUBLISH_UNPUBLISH_VOLUME"]);
  await world.admin.create(StorageClass, {
    metadata: { name: className },
    ...{ provisioner: driverName, reclaimPolicy: "Delete", volumeBindingMode: "Immediate" },
  });
  return world;
}
