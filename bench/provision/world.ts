import { StorageClass } from "@csi-sidecars/kube";
import { startDriverProcess } from "@csi-sidecars/testcluster";
import type { World } from "../attach/world.ts";
import type { Flavour } from "../shared/server.ts";
import { driverName } from "../shared/volumes.ts";
import type { Workbench } from "../shared/workbench.ts";
import { startStorageServer } from "./server.ts";

/** The class of all claims here. */
export const className = "fast";

/** A cluster with binder and protection, a driver that attaches too, as most do, and a class that binds at once. */
export async function startWorld(bench: Workbench, flavour: Flavour, users: number): Promise<World> {
  const { admin, ...server } = await startStorageServer(bench, flavour, users);
  const controller = ["CREATE_DELETE_VOLUME", "PUBLISH_UNPUBLISH_VOLUME"] as const;
  const driver = await startDriverProcess({
    name: driverName,
    capabilities: { plugin: ["CONTROLLER_SERVICE"], controller, expansion: [], groupController: [], node: [] },
  });
  bench.defer(async () => driver[Symbol.asyncDispose]());
  await admin.create(StorageClass, {
    metadata: { name: className },
    ...{ provisioner: driverName, reclaimPolicy: "Delete", volumeBindingMode: "Immediate" },
  });
  return { bench, server, driver, admin };
}
