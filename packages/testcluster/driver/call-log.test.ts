import { expect, test } from "bun:test";
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
