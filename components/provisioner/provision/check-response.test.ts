import { describe, expect, test } from "bun:test";
import type { CreateVolumeResponse, Volume } from "@csi-sidecars/csi";
import { CSINode, Node, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { presets, type Step, step } from "@csi-sidecars/testcluster";
import { provisionRequest } from "../testing/cached.ts";
import { driverName, inDefault } from "../testing/manifests.ts";
import { startWorld } from "../testing/provisioner-world.ts";
import { checkResponse } from "./check-response.ts";

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

describe("an answer that cannot be right is reported to the user; the volume is deleted, and created again", () => {
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

  test("a volume that a PersistentVolume uses is not deleted, whatever the driver says of it", async () => {
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
    await world.untilEvent("data", `${volumeId} is kept: PersistentVolume ${volume.metadata?.name} uses it`);
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

const answered: Volume = { volumeId: "v", capacityBytes: 2048n, volumeContext: {}, contentSource: undefined, accessibleTopology: [] };

describe("what the driver answered", () => {
  const anyKey = (_: string) => true;
  const noKey = (_: string) => false;
  const check = (volume: Volume | undefined, asked = provisionRequest(), isOnSomeNode = anyKey) =>
    checkResponse({ volume }, asked, isOnSomeNode);

  test("is taken as it is", () => {
    expect(check(answered)).toEqual({ kind: "good", volume: { id: "v", bytes: 2048n, context: {}, accessibleTopology: [] } });
  });

  test.each([
    ["no volume", undefined, "the driver's answer to CreateVolume has no volume", undefined],
    ["no id", { ...answered, volumeId: "" }, "the driver's answer to CreateVolume has no volume id", undefined],
    ["too small", { ...answered, capacityBytes: 5n }, "created volume capacity 5 less than requested capacity 1024", "v"],
    ["smaller than nothing", { ...answered, capacityBytes: -1n }, "created volume capacity -1 less than requested capacity 1024", "v"],
  ])("%s", (_, volume, error, volumeId) => {
    expect(check(volume)).toEqual({ kind: "bad", error, volumeId });
  });

  test("a size of 0 means the size that was asked for", () => {
    expect(check({ ...answered, capacityBytes: 0n })).toMatchObject({ kind: "good", volume: { bytes: 1024n } });
  });

  const ofVolume = (volumeId: string) => ({ type: { $case: "volume" as const, volume: { volumeId } } });
  const ofSnapshot = { type: { $case: "snapshot" as const, snapshot: { snapshotId: "s" } } };
  test.each([
    ["not said", undefined, "volume content source missing"],
    ["said without a kind", {}, "volume content source missing"],
    ["another kind", ofSnapshot, "volume content source is a snapshot, but a volume was asked for"],
    ["the same", ofVolume("x"), undefined],
    ["the same in another spelling", ofVolume("https://storage/x"), undefined],
  ])("what a clone was filled with: %s", (_, contentSource, error) => {
    const asked = provisionRequest({
      mustEchoSource: true,
      createVolume: { ...provisionRequest().createVolume, volumeContentSource: ofVolume("x") },
    });
    const found = check({ ...answered, contentSource }, asked);
    expect(found).toMatchObject(error === undefined ? { kind: "good" } : { kind: "bad", error, volumeId: "v" });
  });

  test("a volume that was to be empty may tell what it was filled with", () => {
    expect(check({ ...answered, contentSource: ofSnapshot }).kind).toBe("good");
  });

  test("places must be told by keys that were asked for or that nodes have", () => {
    const volume = { ...answered, accessibleTopology: [{ segments: { [zone]: "a", "example.com/rack": "7" } }] };
    const requisite = [{ segments: { [zone]: "a" } }];
    const accessibilityRequirements = { requisite, preferred: requisite };
    const asked = provisionRequest({ createVolume: { ...provisionRequest().createVolume, accessibilityRequirements } });
    const error = "the driver placed the volume by topology keys that no node has: example.com/rack";
    expect(check(volume, asked, noKey)).toEqual({ kind: "bad", error, volumeId: "v" });
    expect(check(volume, asked, (key) => key === "example.com/rack").kind).toBe("good");
  });
});
