import { describe, expect, test } from "bun:test";
import type { HostpathOptions } from "../settings.ts";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { block, create, mount, named } from "../testing/requests.ts";

const attach = { attach: true, otherNodes: ["node-2"] };
const publishTo = (volumeId: string, nodeId: string, more: object = {}) => ({ volumeId, nodeId, volumeCapability: mount(), ...more });

describe("ControllerPublishVolume", () => {
  test.each<[string, Partial<HostpathOptions>, (id: string) => object, string]>([
    ["when it is off", {}, (id) => publishTo(id, "node-1"), "Unimplemented: unsupported capability PUBLISH_UNPUBLISH_VOLUME"],
    ["without a volume", attach, () => publishTo("", "node-1"), "InvalidArgument: volume_id missing in request"],
    ["without a node", attach, (id) => publishTo(id, ""), "InvalidArgument: node_id missing in request"],
    ["without a capability", attach, (id) => ({ volumeId: id, nodeId: "node-1" }), "InvalidArgument: volume_capability missing in request"],
    ["to an unknown node", attach, () => publishTo("x", "node-9"), "NotFound: node id node-9 is not one of node-1, node-2"],
    ["of an unknown volume", attach, () => publishTo("x", "node-1"), "NotFound: volume id x does not exist in the volumes list"],
    ["again", attach, (id) => publishTo(id, "node-2"), "OK"],
    [
      "again, otherwise",
      attach,
      (id) => publishTo(id, "node-2", { readonly: true }),
      "AlreadyExists: volume ID is attached to node-2 with readonly=false",
    ],
    [
      "again, with another mode",
      attach,
      (id) => publishTo(id, "node-2", { volumeCapability: mount("MULTI_NODE_MULTI_WRITER") }),
      "AlreadyExists: volume ID is attached to node-2 as mount SINGLE_NODE_WRITER",
    ],
    [
      "as what it is not",
      attach,
      (id) => publishTo(id, "node-1", { volumeCapability: block() }),
      "InvalidArgument: cannot attach a mount volume as block volume",
    ],
    ["to a second node", attach, (id) => publishTo(id, "node-1"), "FailedPrecondition: volume ID is already attached to node node-2"],
    ["to a second node, shared", attach, (id) => publishTo(id, "node-1", { volumeCapability: mount("MULTI_NODE_MULTI_WRITER") }), "OK"],
  ])("%s", async (_, options, request, expected) => {
    await using world = await startWorld(options);
    const id = await create(world, named("a"));
    if (options.attach) await world.client.controller.controllerPublishVolume(publishTo(id, "node-2"));
    expect(await outcome(world.client.controller.controllerPublishVolume(request(id)))).toBe(expected.replace("ID", id));
  });

  test("keeps the limit of a node, also when calls come at once and when the limit changes", async () => {
    await using world = await startWorld({ attach: true, attachLimit: 2n, publishContext: { device: "x" } });
    const ids = await Promise.all(["a", "b", "c", "d"].map((name) => create(world, named(name))));
    const attachAll = () => Promise.all(ids.map((id) => outcome(world.client.controller.controllerPublishVolume(publishTo(id, "node-1")))));
    expect((await attachAll()).filter((result) => result === "OK")).toHaveLength(2);
    expect((await world.client.node.nodeGetInfo({})).maxVolumesPerNode).toBe(2n);
    world.driver.script.node.limit(3n);
    expect((await attachAll()).filter((result) => result.startsWith("ResourceExhausted"))).toHaveLength(1);
    const attached = world.driver.state.volumes.find(({ attachments }) => attachments.length > 0)!;
    expect((await world.client.controller.controllerPublishVolume(publishTo(attached.id, "node-1"))).publishContext).toEqual({
      device: "x",
    });
  });
});

describe("ControllerUnpublishVolume of a volume that is staged", () => {
  test("here, and attached to two nodes, is refused from this node only", async () => {
    await using world = await startWorld({ ...attach, checkVolumeLifecycle: true });
    const { controller, node } = world.client;
    const volumeId = await create(world, named("a"));
    const volumeCapability = mount("MULTI_NODE_MULTI_WRITER");
    for (const nodeId of ["node-1", "node-2"]) await controller.controllerPublishVolume(publishTo(volumeId, nodeId, { volumeCapability }));
    await node.nodeStageVolume({ volumeId, stagingTargetPath: "/s", volumeCapability });
    expect(await outcome(controller.controllerUnpublishVolume({ volumeId, nodeId: "node-1" }))).toStartWith("Internal");
    expect(await outcome(controller.controllerUnpublishVolume({ volumeId, nodeId: "node-2" }))).toBe("OK");
  });

  test.each([
    [true, "node-2", "Internal: volume ID is still staged or published on node node-2"],
    [true, "", "Internal: volume ID is still staged or published on node node-1"],
    [false, "node-2", "OK"],
  ])("with lifecycle checks %p, from %p", async (checkVolumeLifecycle, nodeId, expected) => {
    await using world = await startWorld({ ...attach, checkVolumeLifecycle });
    const volumeId = await create(world, named("a"));
    await world.client.controller.controllerPublishVolume(publishTo(volumeId, "node-2"));
    await world.client.node.nodeStageVolume({ volumeId, stagingTargetPath: "/s", volumeCapability: mount() });
    const call = world.client.controller.controllerUnpublishVolume({ volumeId, nodeId });
    expect(await outcome(call)).toBe(expected.replace("ID", volumeId));
    expect(world.driver.state.volumes[0]?.attachments).toHaveLength(checkVolumeLifecycle ? 1 : 0);
  });
});
