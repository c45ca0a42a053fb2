import { CSINode, isNotFound, mergePatch, Node, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { annotation } from "../names.ts";
import { inDefault } from "./manifests.ts";
import type { ProvisionerWorld, WorldOptions } from "./provisioner-world.ts";

/** What users do, and what they wait for. It must end in the same way whenever the process dies and is started again. */
export interface Scenario {
  readonly options?: WorldOptions;
  run(world: ProvisionerWorld): Promise<void>;
}

export const zone = "topology.example.com/zone";

/** A node `node-<name>` in a zone of the same name, on which the driver is registered. */
export async function addNode(world: ProvisionerWorld, name: string): Promise<void> {
  await world.create(Node, { metadata: { name: `node-${name}`, labels: { [zone]: name } } });
  const driver = { name: world.driver.settings.name, nodeID: name, topologyKeys: [zone] };
  await world.create(CSINode, { metadata: { name: `node-${name}` }, spec: { drivers: [driver] } });
}

/** The claim goes back to the scheduler. */
export const nodeGivenBack = (world: ProvisionerWorld) =>
  world.until(PersistentVolumeClaim, inDefault("data"), ({ metadata }) => !metadata?.annotations?.[annotation.selectedNode]);

/** What the scheduler does; `null` takes the node away. */
export const selectNode = (world: ProvisionerWorld, node: string | null) =>
  world.admin.patch(
    PersistentVolumeClaim,
    inDefault("data"),
    mergePatch({ metadata: { annotations: { [annotation.selectedNode]: node } } }),
  );

/** Deletes a claim unless that was done. */
export async function deleteOnce(world: ProvisionerWorld, name: string): Promise<void> {
  await world.deleteClaim(name).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** Deletes a claim unless that was done, and waits until it is gone. */
export async function endOf(world: ProvisionerWorld, name: string): Promise<void> {
  await deleteOnce(world, name);
  await world.untilGone(PersistentVolumeClaim, inDefault(name));
}
