import { expect, test } from "bun:test";
import { Code } from "@csi-sidecars/csi";
import { startScriptedDriver } from "./scripted-driver.ts";
import { step } from "./step.ts";
import { clientOf, create, failureOf, manyWriters } from "./testing/driver-client.ts";

const publish = (volumeId: string, nodeId: string) => ({ volumeId, nodeId, volumeCapability: manyWriters });

test("two calls that change one volume at the same time are found; others are not", async () => {
  await using driver = await startScriptedDriver({ volumes: [{ id: "v" }, { id: "w" }] });
  driver.script("ControllerPublishVolume", step.waitFor("go"), step.waitFor("go"), step.waitFor("go"));
  using client = clientOf(driver);
  const calls = [publish("v", "n1"), publish("v", "n2"), publish("w", "n1")].map((r) => client.controller.controllerPublishVolume(r));
  await driver.called("ControllerPublishVolume", 3);
  await client.controller.listVolumes({});
  driver.release("go");
  await Promise.all(calls);
  await client.controller.controllerUnpublishVolume({ volumeId: "v", nodeId: "n1" });
  expect(driver.overlaps().map((pair) => pair.map(({ request }) => request))).toEqual([
    [expect.objectContaining({ volumeId: "v", nodeId: "n1" }), expect.objectContaining({ volumeId: "v", nodeId: "n2" })],
  ]);
});

test("two calls that change one snapshot or group at the same time are found too", async () => {
  await using driver = await startScriptedDriver({ capabilities: "full", volumes: [{ id: "v" }] });
  using client = clientOf(driver);
  const { controller, groupController } = client;
  for (const method of ["DeleteSnapshot", "CreateVolumeGroupSnapshot"] as const)
    driver.script(method, step.waitFor("go"), step.waitFor("go"), step.waitFor("go"));
  const deletions = ["s", "s", "t"].map((snapshotId) => controller.deleteSnapshot({ snapshotId }));
  const groups = ["g", "g", "h"].map((name) => groupController.createVolumeGroupSnapshot({ name, sourceVolumeIds: ["v"] }));
  await driver.called("DeleteSnapshot", 3);
  await driver.called("CreateVolumeGroupSnapshot", 3);
  driver.release("go");
  await Promise.all([...deletions, ...groups]);
  const pairs = driver.overlaps().map(([{ method, request }]) => [method, "name" in request ? request.name : "s"]);
  expect(pairs.toSorted()).toEqual([
    ["CreateVolumeGroupSnapshot", "g"],
    ["DeleteSnapshot", "s"],
  ]);
});

test("a second attempt after the client gave up is no overlap", async () => {
  await using driver = await startScriptedDriver({ script: { CreateVolume: [step.waitFor("go")] } });
  using client = clientOf(driver);
  await failureOf(client.controller.createVolume(create("a"), { timeoutMs: 20 }));
  await driver.until("the client to be gone", () => driver.calls()[0]?.clientGoneAt !== undefined);
  await client.controller.createVolume(create("a"));
  driver.release("go");
  await driver.until("the late end", () => driver.calls()[0]?.endedAt !== undefined);
  expect(driver.overlaps()).toEqual([]);
});

test("a driver that locks volumes aborts a call while another one changes the same volume, by name or by id", async () => {
  await using driver = await startScriptedDriver({ locksVolumes: true, volumes: [{ id: "w" }] });
  using client = clientOf(driver);
  const { volume } = await client.controller.createVolume(create("a"));
  driver.script("CreateVolume", step.waitFor("go"));
  const slow = client.controller.createVolume(create("a"));
  await driver.called("CreateVolume", 2);
  const failure = await failureOf(client.controller.deleteVolume({ volumeId: volume?.volumeId ?? "" }));
  expect(failure).toMatchObject({ code: Code.Aborted, details: expect.stringContaining("CreateVolume is pending") });
  await client.controller.deleteVolume({ volumeId: "w" });
  driver.release("go");
  await slow;
  await client.controller.deleteVolume({ volumeId: volume?.volumeId ?? "" });
  expect(driver.volumes.size).toBe(0);
});

test("a caller with a socket of its own is named in the record of its calls", async () => {
  await using driver = await startScriptedDriver({ callers: ["replica-a"] });
  using replica = clientOf({ address: driver.addressOf("replica-a") });
  using other = clientOf(driver);
  await replica.identity.probe({});
  await other.identity.probe({});
  await driver.kill();
  await driver.start();
  using restarted = clientOf({ address: driver.addressOf("replica-a") });
  await restarted.identity.probe({});
  expect(driver.calls().map(({ caller }) => caller)).toEqual(["replica-a", undefined, "replica-a"]);
});
