import { describe, expect, test } from "bun:test";
import { expandingAlone, startWorld } from "../testing/resizer-world.ts";

const threeWrites = [
  "patch persistentvolumeclaims/status data",
  "patch persistentvolumes pv-data",
  "patch persistentvolumeclaims/status data",
];

describe("a claim that requests more", () => {
  test("is expanded with one call and three writes; the node has to do its part", async () => {
    await using world = await startWorld();
    await world.addClaim();
    await world.request("2Gi");
    const { status, metadata } = await world.until((claim) => claim.status?.allocatedResourceStatuses?.storage === "NodeResizePending");
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
    expect(volume.metadata?.annotations).toEqual({ "volume.alpha.kubernetes.io/pre-resize-capacity": "1Gi" });
    await world.untilEvent("Normal FileSystemResizeRequired: Require file system resize of volume on node");
    await world.stop();
    expect(await world.events()).toEqual([
      "Normal Resizing: External resizer is resizing volume pv-data",
      "Normal FileSystemResizeRequired: Require file system resize of volume on node",
    ]);
    const [call] = world.driver.calls("ControllerExpandVolume");
    expect(world.driver.calls("ControllerExpandVolume")).toHaveLength(1);
    expect(call?.request).toEqual({
      volumeId: "handle-data",
      capacityRange: { requiredBytes: 2n * 2n ** 30n, limitBytes: 0n },
      secrets: {},
      volumeCapability: {
        accessMode: { mode: 1 },
        accessType: { $case: "mount", mount: { fsType: "ext4", mountFlags: [], volumeMountGroup: "" } },
      },
    });
    expect([await world.requests(), await world.refused()]).toEqual([threeWrites, []]);
  });

  test("is expanded at once where the node has nothing to do", async () => {
    await using world = await startWorld({ driver: { capabilities: expandingAlone } });
    await world.addClaim();
    await world.request("2Gi");
    const { status, metadata } = await world.until((claim) => claim.status?.capacity?.storage === "2Gi");
    expect(status?.conditions).toBeUndefined();
    expect(status?.allocatedResourceStatuses).toBeUndefined();
    expect(status?.allocatedResources).toEqual({ storage: "2Gi" });
    expect(metadata?.annotations).toEqual({ "volume.kubernetes.io/node-expansion-not-required": "true" });
    const volume = await world.volume();
    expect(volume.spec?.capacity).toEqual({ storage: "2Gi" });
    expect(volume.metadata?.annotations).toBeUndefined();
    await world.untilEvent("Normal VolumeResizeSuccessful: Resize volume succeeded");
    await world.stop();
    expect(world.driver.calls("ControllerExpandVolume")).toHaveLength(1);
    expect([await world.requests(), await world.refused()]).toEqual([threeWrites, []]);
  });
});
