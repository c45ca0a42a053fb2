import { describe, expect, test } from "bun:test";
import { Secret } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { driverName, isNodePending } from "../testing/objects.ts";
import { startWorld } from "../testing/resizer-world.ts";

describe("the call", () => {
  test("has the secret that the volume names, read for each attempt", async () => {
    await using world = await startWorld({ driver: { script: { ControllerExpandVolume: [step.fail("Internal")] } } });
    const secret = { name: "key", namespace: "default" };
    await world.create(Secret, { metadata: secret, data: { token: Buffer.from("s3cret").toString("base64") } });
    const csi = { driver: driverName, volumeHandle: "handle-data", controllerExpandSecretRef: secret };
    await world.addClaim({ request: "2Gi", volume: { spec: { csi } } });
    await world.until(isNodePending);
    expect(world.driver.calls("ControllerExpandVolume").map(({ request }) => request.secrets)).toEqual([
      { token: "s3cret" },
      { token: "s3cret" },
    ]);
    expect((await world.requests()).filter((request) => request === "get secrets key")).toHaveLength(2);
    expect(JSON.stringify(world.log.lines)).not.toContain("s3cret");
  });

  test.each<[string, object, string]>([
    ["is not there", {}, 'error getting secret key in namespace default: secrets "key" not found'],
    [
      "is no text",
      { token: Buffer.from([0xff]).toString("base64") },
      'error getting secret key in namespace default: the value of "token" is not valid UTF-8',
    ],
  ])("is not made with a secret that %s", async (_what, data, problem) => {
    await using world = await startWorld();
    const secret = { name: "key", namespace: "default" };
    if (Object.keys(data).length > 0) await world.create(Secret, { metadata: secret, data: data as Record<string, string> });
    const csi = { driver: driverName, volumeHandle: "handle-data", controllerExpandSecretRef: secret };
    await world.addClaim({ request: "2Gi", volume: { spec: { csi } } });
    await world.untilEvent(`Warning VolumeResizeFailed: resize volume "pv-data" by resizer "csi.example.com" failed: ${problem}`);
    expect(world.asked()).toEqual([]);
    const { status } = await world.claim();
    expect(status?.conditions?.map(({ type }) => type)).toEqual(["Resizing"]);
    expect(status?.allocatedResourceStatuses).toEqual({ storage: "ControllerResizeInProgress" });
  });

  test("is for a block device where the volume is one", async () => {
    await using world = await startWorld();
    await world.addClaim({ request: "2Gi", spec: { volumeMode: "Block" }, volume: { spec: { volumeMode: "Block" } } });
    await world.until(isNodePending);
    const [call] = world.driver.calls("ControllerExpandVolume");
    expect(call?.request.volumeCapability?.accessType).toEqual({ $case: "block", block: {} });
  });

  test("is made for a volume of the in-tree plugin that the driver replaced", async () => {
    const name = "ebs.csi.aws.com";
    await using world = await startWorld({ driver: { name, volumes: [{ id: "vol-1" }] } });
    await world.addClaim({
      request: "2Gi",
      metadata: { annotations: { "volume.kubernetes.io/storage-resizer": name } },
      volume: { spec: { csi: undefined as never, awsElasticBlockStore: { volumeID: "aws://zone/vol-1" } } },
    });
    await world.until(isNodePending);
    expect(world.driver.calls("ControllerExpandVolume").map(({ request }) => request.volumeId)).toEqual(["vol-1"]);
    expect(await world.metrics()).toMatch(/csi_sidecar_operations_seconds_count\{[^}]*ControllerExpandVolume[^}]*migrated="true"\} 1/);
  });
});
