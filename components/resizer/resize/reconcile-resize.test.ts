import { describe, expect, test } from "bun:test";
import { mergePatch, PersistentVolume } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { type BoundClaim, driverName, expansionWrites, Gi, isNodePending } from "../testing/objects.ts";
import { expandingAlone, type ResizerWorld, startWorld } from "../testing/resizer-world.ts";

const note = "volume.alpha.kubernetes.io/pre-resize-capacity";
const notRequired = "volume.kubernetes.io/node-expansion-not-required";
const alone = { driver: { capabilities: expandingAlone } };

describe("a claim that requests more", () => {
  test("is expanded with one call and three writes; the node has to do its part", async () => {
    await using world = await startWorld();
    await world.addClaim();
    await world.request("2Gi");
    const { status, metadata } = await world.until(isNodePending);
    expect(status).toMatchObject({ capacity: { storage: "1Gi" }, allocatedResources: { storage: "2Gi" } });
    expect(status?.conditions).toMatchObject([
      { type: "Resizing", status: "True" },
      {
        type: "FileSystemResizePending",
        status: "True",
        message: "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
      },
    ]);
    expect(metadata?.annotations).toBeUndefined();
    const volume = await world.volume();
    expect(volume.spec?.capacity).toEqual({ storage: "2Gi" });
    expect(volume.metadata?.annotations).toEqual({ [note]: "1Gi" });
    await world.untilEvent("Normal FileSystemResizeRequired: Require file system resize of volume on node");
    await world.stop();
    expect(await world.events()).toEqual([
      "Normal Resizing: External resizer is resizing volume pv-data",
      "Normal FileSystemResizeRequired: Require file system resize of volume on node",
    ]);
    const calls = world.driver.calls("ControllerExpandVolume");
    expect(calls.map(({ request }) => request)).toEqual([
      {
        volumeId: "handle-data",
        capacityRange: { requiredBytes: 2n * Gi, limitBytes: 0n },
        secrets: {},
        volumeCapability: {
          accessMode: { mode: 1 },
          accessType: { $case: "mount", mount: { fsType: "ext4", mountFlags: [], volumeMountGroup: "" } },
        },
      },
    ]);
    expect([await world.requests(), await world.refused()]).toEqual([expansionWrites, []]);
    const lines = world.log.lines.filter(({ message }) => message === "Resize volume succeeded");
    expect(lines).toMatchObject([{ fields: { claim: "default/data", volume: "pv-data", capacity: "2Gi", seconds: expect.any(Number) } }]);
  });

  test("is expanded at once where the node has nothing to do", async () => {
    await using world = await startWorld(alone);
    await world.addClaim();
    await world.request("2Gi");
    const { status, metadata } = await world.until((claim) => claim.status?.capacity?.storage === "2Gi");
    expect(status?.conditions ?? []).toEqual([]);
    expect(status?.allocatedResourceStatuses).toBeUndefined();
    expect(status?.allocatedResources).toEqual({ storage: "2Gi" });
    expect(metadata?.annotations).toEqual({ [notRequired]: "true" });
    const volume = await world.volume();
    expect(volume.spec?.capacity).toEqual({ storage: "2Gi" });
    expect(volume.metadata?.annotations).toBeUndefined();
    await world.untilEvent("Normal VolumeResizeSuccessful: Resize volume succeeded");
    await world.stop();
    expect(world.asked()).toEqual([2n * Gi]);
    expect([await world.requests(), await world.refused()]).toEqual([expansionWrites, []]);
  });

  test("gets what the driver gives, which may be more", async () => {
    await using world = await startWorld({
      driver: { script: { ControllerExpandVolume: [step.reply({ capacityBytes: 3n * Gi, nodeExpansionRequired: false })] } },
    });
    await world.addClaim();
    await world.request("2500M");
    const { status } = await world.until((claim) => claim.status?.capacity?.storage === "3Gi");
    expect(status?.allocatedResources).toEqual({ storage: "2500M" });
    expect((await world.volume()).spec?.capacity).toEqual({ storage: "3Gi" });
  });

  test("and then still more while the node has its turn: the next size follows when the node is done", async () => {
    await using world = await startWorld();
    await world.addClaim();
    await world.request("2Gi");
    await world.until(isNodePending);
    await world.request("3Gi");
    await world.witness();
    expect(world.asked()).toEqual([2n * Gi]);
    await nodeExpanded(world, "2Gi");
    await world.until((claim) => isNodePending(claim) && claim.status?.allocatedResources?.storage === "3Gi");
    expect(world.asked()).toEqual([2n * Gi, 3n * Gi]);
    expect((await world.volume()).metadata?.annotations).toEqual({ [note]: "2Gi" });
  });

  test("and more again during the call: the next size follows at once", async () => {
    await using world = await startWorld({
      driver: { capabilities: expandingAlone, script: { ControllerExpandVolume: [step.waitFor("go")] } },
    });
    await world.addClaim();
    await world.request("2Gi");
    await world.driver.called("ControllerExpandVolume");
    await world.request("3Gi");
    world.driver.release("go");
    await world.until((claim) => claim.status?.capacity?.storage === "3Gi");
    expect(world.asked()).toEqual([2n * Gi, 3n * Gi]);
  });

  test("a claim and its volume that were there before the start", async () => {
    await using world = await startWorld({ stopped: true });
    await world.addClaim({ request: "2Gi" });
    await world.run();
    await world.until(isNodePending);
  });

  test("the volume appears after the claim", async () => {
    await using world = await startWorld({ stopped: true });
    const { metadata } = await world.addClaim({ request: "2Gi", volume: { metadata: { name: "other" } } });
    await world.run();
    await world.witness();
    expect(world.asked()).toEqual([]);
    await world.addVolume({}, metadata?.uid ?? "");
    await world.until(isNodePending);
  });

  test("a claim that is seen bound before its volume is", async () => {
    await using world = await startWorld();
    const volume = { spec: { capacity: { storage: "2Gi" }, claimRef: { namespace: "default", name: "data" } } };
    await world.addClaim({ request: "2Gi", volume });
    await world.witness();
    const { metadata } = await world.claim();
    const { uid } = metadata ?? {};
    await world.admin.patch(PersistentVolume, { name: "pv-data" }, mergePatch({ spec: { claimRef: { uid } } }));
    await world.until(isNodePending);
  });
});

describe("the size of the file system is noted on the volume", () => {
  test("until the claim has it", async () => {
    await using world = await startWorld();
    await world.addClaim();
    await world.request("2Gi");
    await world.untilVolume(({ metadata }) => metadata?.annotations?.[note] === "1Gi");
    await world.until(isNodePending);
    await nodeExpanded(world, "2Gi");
    await world.untilVolume(({ metadata }) => metadata?.annotations === undefined);
  });

  test("not with the gate off", async () => {
    await using world = await startWorld({ gatesOff: ["AnnotateFsResize"] });
    await world.addClaim();
    await world.request("2Gi");
    await world.until(isNodePending);
    expect((await world.volume()).metadata?.annotations).toBeUndefined();
  });

  test("a note on the volume of another driver stays", async () => {
    await using world = await startWorld();
    const csi = { driver: "other.example.com", volumeHandle: "h" };
    await world.addClaim({ volume: { metadata: { annotations: { [note]: "512Mi" } }, spec: { csi } } });
    await world.request("2Gi");
    await world.witness();
    expect((await world.volume()).metadata?.annotations).toEqual({ [note]: "512Mi" });
    expect(world.asked()).toEqual([]);
  });
});

describe("nothing is done", () => {
  const csi = { driver: driverName, volumeHandle: "handle-data" };
  const ref = { kind: "PersistentVolumeClaim", apiVersion: "v1", name: "data" };
  test.each<[string, BoundClaim]>([
    ["as much is requested as there is", {}],
    [
      "the volume belongs to another claim of the name",
      { request: "2Gi", volume: { spec: { claimRef: { ...ref, namespace: "default", uid: "x" } } } },
    ],
    [
      "the volume belongs to a claim elsewhere",
      { request: "2Gi", volume: { spec: { claimRef: { ...ref, namespace: "else", uid: "x" } } } },
    ],
    ["the volume belongs to no claim", { request: "2Gi", volume: { spec: { claimRef: undefined as never } } }],
    ["the volume is of another driver", { request: "2Gi", volume: { spec: { csi: { ...csi, driver: "other.example.com" } } } }],
    ["the claim is not bound", { request: "2Gi", status: { phase: "Pending" } }],
    ["the claim has no volume", { request: "2Gi", spec: { volumeName: "" } }],
  ])("%s", async (_what, parts) => {
    await using world = await startWorld();
    await world.addClaim(parts);
    await world.witness();
    await world.stop();
    expect((await world.requests()).filter((request) => request.endsWith("data"))).toEqual([]);
    expect(world.asked()).toEqual([]);
  });
});

/** What kubelet writes when it has expanded the file system. */
async function nodeExpanded(world: ResizerWorld, storage: string): Promise<void> {
  await world.patchStatus({ capacity: { storage }, conditions: null, allocatedResourceStatuses: null });
}
