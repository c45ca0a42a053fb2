import { Code, GrpcError } from "@csi-sidecars/csi";
import { PersistentVolumeClaim } from "@csi-sidecars/kube";
import { type Request, step } from "@csi-sidecars/testcluster";
import { annotation } from "../names.ts";
import { inDefault, placing } from "./manifests.ts";
import type { ProvisionerWorld, WorldOptions } from "./provisioner-world.ts";
import { addNode, deleteOnce, nodeGivenBack, type Scenario, selectNode, zone } from "./scenario.ts";

/**
 * The driver has room on node c only, and its answers are lost until the claim is deleted: while it is asked for the second node, while
 * it is asked for the third, or when it has created the volume.
 */
export function lostAfterTwoNodes(prefix: string, { driver, flags }: WorldOptions): Record<string, Scenario> {
  const options = { driver: { capabilities: placing, ...driver }, flags: { ...flags } };
  const moments = { b: "in the second call", c: "in the third call", none: "after the third call" };
  return Object.fromEntries(
    Object.entries(moments).map(([during, moment]) => [
      `${prefix}, two nodes have no room, an answer is lost, and the claim is deleted ${moment}`,
      { options, run: (world) => loseAfterTwoNodes(world, during) },
    ]),
  );
}

async function loseAfterTwoNodes(world: ProvisionerWorld, deletedDuring: string): Promise<void> {
  const { driver } = world;
  const deleted = Promise.withResolvers<void>();
  const answer = async (request: Request<"CreateVolume">, carryOut: () => object): Promise<object> => {
    const preferred = request.accessibilityRequirements?.preferred[0]?.segments[zone];
    if (preferred === deletedDuring) await deleteOnce(world, "data").finally(deleted.resolve);
    if (preferred !== "c" && !driver.volumeNamed(request.name)) throw new GrpcError(Code.ResourceExhausted, "full");
    carryOut();
    throw new GrpcError(Code.Unavailable, "the answer is lost");
  };
  driver.always("CreateVolume", step.reply(answer) as never);
  for (const name of ["a", "b", "c"]) await addNode(world, name);
  await world.createClass("late", { provisioner: driver.settings.name, volumeBindingMode: "WaitForFirstConsumer" });
  await world.createClaim("data", { storageClassName: "late" }, { annotations: { [annotation.selectedNode]: "node-a" } });
  await nodeGivenBack(world);
  await selectNode(world, "node-b");
  if (deletedDuring !== "b") {
    await nodeGivenBack(world);
    await selectNode(world, "node-c");
  }
  if (deletedDuring !== "none") await deleted.promise;
  else await driver.until("the volume", () => driver.volumes.size > 0);
  await deleteOnce(world, "data");
  driver.always("CreateVolume", step.act);
  await world.untilGone(PersistentVolumeClaim, inDefault("data"));
}
