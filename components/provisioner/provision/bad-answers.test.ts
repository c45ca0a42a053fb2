import { describe, expect, test } from "bun:test";
import type { CreateVolumeResponse } from "@csi-sidecars/csi";
import { CSINode, Node, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { presets, type Step, step } from "@csi-sidecars/testcluster";
import { driverName, inDefault } from "../testing/manifests.ts";
import { startWorld } from "../testing/provisioner-world.ts";

type Answer = NonNullable<CreateVolumeResponse["volume"]>;

/** The driver makes the volume, and says something else about it. */
const changed = (members: Partial<Answer>): Step<"CreateVolume"> =>
  step.reply((_, carryOut) => {
    const { volume } = carryOut();
    return { volume: volume && { ...volume, ...members } };
  });

const zone = "topology.example.com/zone";
const placing = {
  ...presets.minimal,
  plugin: ["CONTROLLER_SERVICE", "VOLUME_ACCESSIBILITY_CONSTRAINTS"],
  controller: ["CREATE_DELETE_VOLUME", "CLONE_VOLUME"],
} as const;
const clone = { dataSource: { kind: "PersistentVolumeClaim", name: "source" } };

describe("an answer that cannot be right is told to the user; the volume does not stay, and is made anew", () => {
  test.each<[string, Partial<Answer>, object, string]>([
    [
      "filled with something else",
      { contentSource: { type: { $case: "snapshot", snapshot: { snapshotId: "s" } } } },
      clone,
      "volume content source is a snapshot, but a volume was asked for",
    ],
    [
      "placed by keys that no node has",
      { accessibleTopology: [{ segments: { "example.com/nowhere": "x" } }] },
      {},
      "the driver placed the volume by topology keys that no node has: example.com/nowhere",
    ],
  ])("%s", async (_, members, spec, text) => {
    await using world = await startWorld({ driver: { capabilities: placing } });
    await world.create(Node, { metadata: { name: "node-a", labels: { [zone]: "a" } } });
    await world.create(CSINode, {
      metadata: { name: "node-a" },
      spec: { drivers: [{ name: driverName, nodeID: "a", topologyKeys: [zone] }] },
    });
    await world.createClass();
    await world.createClaim("source");
    await world.bound("source");
    world.driver.script("CreateVolume", changed(members));
    await world.createClaim("data", spec);
    await world.untilEvent("data", `ProvisioningFailed: ${text}`);
    const { volume } = await world.bound("data");
    expect(world.driver.calls("DeleteVolume").map(({ request }) => request.volumeId)).toEqual(["vol-2"]);
    expect(volume.spec?.csi?.volumeHandle).toBe("vol-3");
    expect(world.driver.volumes.size).toBe(2);
  });

  test("a volume that some PersistentVolume has is not taken back, whatever the driver says of it", async () => {
    await using world = await startWorld({ driver: { capabilities: "minimal" } });
    await world.createClass();
    await world.createClaim("owner");
    const { volume } = await world.bound("owner");
    const volumeId = volume.spec?.csi?.volumeHandle ?? "";
    world.driver.script(
      "CreateVolume",
      step.reply(() => ({ volume: { volumeId, capacityBytes: 1n, volumeContext: {}, accessibleTopology: [] } })),
    );
    await world.createClaim("data");
    await world.untilEvent("data", `${volumeId} stays: PersistentVolume ${volume.metadata?.name} has it`);
    await world.bound("data");
    expect(world.driver.calls("DeleteVolume")).toEqual([]);
    expect(world.driver.volumes.size).toBe(2);
  });

  test("while it cannot be deleted the claim stays in progress, also when it is deleted itself", async () => {
    await using world = await startWorld({ driver: { capabilities: "minimal" } });
    world.driver.always("CreateVolume", changed({ capacityBytes: 1n }));
    world.driver.always("DeleteVolume", step.fail("Internal", "busy"));
    await world.createClass();
    await world.createClaim("data");
    await world.untilEvent("data", "volume is orphaned: rpc error: code = Internal desc = busy");
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    expect(world.driver.volumes.size).toBe(1);
    world.driver.always("DeleteVolume", step.act);
    await world.untilTrue(() => world.driver.volumes.size === 0);
    await world.untilTrue(async () => (await world.metrics()).includes("claims_in_progress 0"));
  });
});

test("a volume that the driver does not name is asked for until it does, also when its claim is deleted", async () => {
  await using world = await startWorld();
  world.driver.always("CreateVolume", changed({ volumeId: "" }));
  await world.createClass();
  await world.createClaim("data");
  await world.untilEvent("data", "ProvisioningFailed: the driver's answer to CreateVolume has no volume id");
  await world.deleteClaim("data");
  await world.untilGone(PersistentVolumeClaim, inDefault("data"));
  expect(world.driver.volumes.size).toBe(1);
  world.driver.always("CreateVolume", step.act);
  await world.driver.called("DeleteVolume", 1, 25_000);
  await world.untilTrue(async () => (await world.volumes()).length === 0);
  expect(world.driver.volumes.size).toBe(0);
}, 30_000);
