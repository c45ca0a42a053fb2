import { expect, test } from "bun:test";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Request } from "./methods.ts";
import { startScriptedDriver } from "./scripted-driver.ts";
import { step } from "./step.ts";
import { clientOf, create, failureOf, writer } from "./testing/driver-client.ts";

test("a script is run call by call, then the driver behaves normally", async () => {
  await using driver = await startScriptedDriver({
    script: { CreateVolume: [step.fail("Internal", "not today"), step.reply({ volume: { volumeId: "made-up" } })] },
  });
  using client = clientOf(driver);
  expect(await failureOf(client.controller.createVolume(create("a")))).toMatchObject({ codeName: "Internal", details: "not today" });
  expect((await client.controller.createVolume(create("a"))).volume?.volumeId).toBe("made-up");
  expect(driver.volumes.size).toBe(0);
  const { volume } = await client.controller.createVolume(create("a"));
  expect(driver.volumeNamed("a")?.id).toBe(volume!.volumeId);
  expect(driver.calls("CreateVolume").map(({ order, request, outcome }) => [order, request.name, outcome?.kind])).toEqual([
    [1, "a", "failed"],
    [2, "a", "answered"],
    [3, "a", "answered"],
  ]);
});

test("a step may depend on the request", async () => {
  await using driver = await startScriptedDriver();
  driver.always(
    "CreateVolume",
    step.choose(({ name }: Request<"CreateVolume">) => (name === "a" ? step.fail("Internal", "not a") : step.act)),
  );
  using client = clientOf(driver);
  expect(await failureOf(client.controller.createVolume(create("a")))).toMatchObject({ codeName: "Internal", details: "not a" });
  await client.controller.createVolume(create("b"));
  expect([...driver.volumes.values()].map(({ name }) => name)).toEqual(["b"]);
});

test.each([
  { given: "lost", effect: true },
  { given: "lostBefore", effect: false },
] as const)("$given: the client hears nothing, effect: $effect", async ({ given, effect }) => {
  await using driver = await startScriptedDriver({ script: { CreateVolume: [step[given]] } });
  using client = clientOf(driver);
  expect(await failureOf(client.controller.createVolume(create("a")))).toMatchObject({ origin: "transport" });
  expect(driver.volumes.size).toBe(effect ? 1 : 0);
  expect(driver.calls()[0]?.outcome).toEqual({ kind: "unanswered", because: "lost", effect });
  await client.controller.createVolume(create("a"));
  expect(driver.volumes.size).toBe(1);
});

test.each([
  { given: "hang", effect: false },
  { given: "hangAfter", effect: true },
] as const)("$given: nothing is said until the client gives up, effect: $effect", async ({ given, effect }) => {
  await using driver = await startScriptedDriver({ script: { CreateVolume: [step[given]] } });
  using client = clientOf(driver);
  expect(await failureOf(client.controller.createVolume(create("a"), { timeoutMs: 30 }))).toMatchObject({ codeName: "DeadlineExceeded" });
  await driver.until("the end of the call", () => driver.calls()[0]?.outcome !== undefined);
  expect(driver.calls()[0]?.outcome).toEqual({ kind: "unanswered", because: "hung", effect });
  expect(driver.volumes.size).toBe(effect ? 1 : 0);
});

test("a call that waits at a gate is carried out when the gate opens, even if the client is gone", async () => {
  await using driver = await startScriptedDriver({ script: { CreateVolume: [step.waitFor("go"), step.waitFor("later")] } });
  using client = clientOf(driver);
  const first = client.controller.createVolume(create("a"));
  await driver.called("CreateVolume");
  expect(driver.volumes.size).toBe(0);
  driver.release("go");
  await first;
  expect(driver.volumeNamed("a")).toBeDefined();
  await failureOf(client.controller.createVolume(create("b"), { timeoutMs: 30 }));
  await driver.until("the client to be gone", () => driver.calls()[1]?.clientGoneAt !== undefined);
  driver.release("later");
  await driver.until("the second volume", () => driver.volumeNamed("b") !== undefined);
  await driver.until("the end of the call", () => driver.calls()[1]?.endedAt !== undefined);
  const late = driver.calls()[1]!;
  expect(late.clientGoneAt!).toBeLessThan(late.endedAt!);
});

test("a failure may come after the work was done", async () => {
  await using driver = await startScriptedDriver({ script: { CreateVolume: [step.fail("DeadlineExceeded", "slow", { effect: true })] } });
  using client = clientOf(driver);
  expect(await failureOf(client.controller.createVolume(create("a")))).toMatchObject({ codeName: "DeadlineExceeded", origin: "peer" });
  expect(driver.volumes.size).toBe(1);
});

test("a computed answer sees the request and may carry it out", async () => {
  await using driver = await startScriptedDriver({ volumes: [{ id: "v" }] });
  driver.always(
    "ControllerPublishVolume",
    step.reply((request, carryOut) => ({ publishContext: { ...carryOut().publishContext, to: request.nodeId } })),
  );
  using client = clientOf(driver);
  const publish = { volumeId: "v", nodeId: "n", volumeCapability: writer };
  expect((await client.controller.controllerPublishVolume(publish)).publishContext).toEqual({ device: "/dev/disk/by-id/v", to: "n" });
  driver.always("ControllerPublishVolume", step.act);
  expect((await client.controller.controllerPublishVolume(publish)).publishContext).toEqual({ device: "/dev/disk/by-id/v" });
});

test("a driver that crashes leaves its socket and is back when it was told to be", async () => {
  await using driver = await startScriptedDriver({ script: { CreateVolume: [step.crashAfter(20)] } });
  using client = clientOf(driver);
  expect(await failureOf(client.controller.createVolume(create("a")))).toMatchObject({ codeName: "Unavailable", origin: "transport" });
  const { volume } = await client.controller.createVolume(create("a"), { waitForReady: true, timeoutMs: 5_000 });
  expect(driver.volumes.get(volume!.volumeId)?.name).toBe("a");
  expect(driver.calls("CreateVolume")[0]?.outcome).toEqual({ kind: "unanswered", because: "crashed", effect: true });
});

test("kill leaves the socket, stop takes it away, restart serves on the same path, dispose removes the folder", async () => {
  const driver = await startScriptedDriver({ script: { Probe: [step.waitFor("never")] } });
  using client = clientOf(driver);
  const probing = failureOf(client.identity.probe({}));
  await driver.called("Probe");
  await driver.kill();
  expect((await probing).codeName).toBe("Unavailable");
  expect(driver.calls()[0]?.outcome).toEqual({ kind: "unanswered", because: "crashed", effect: false });
  expect((await lstat(driver.address)).isSocket()).toBe(true);
  using afterKill = clientOf(driver);
  expect((await failureOf(afterKill.identity.probe({}))).details).toContain("connection refused");
  await driver.start();
  await client.identity.probe({}, { waitForReady: true, timeoutMs: 5_000 });
  await driver.stop();
  using afterStop = clientOf(driver);
  expect((await failureOf(afterStop.identity.probe({}))).details).toContain("no such file or directory");
  await driver.start();
  await driver.restart();
  await client.identity.probe({}, { waitForReady: true, timeoutMs: 5_000 });
  await driver[Symbol.asyncDispose]();
  expect(await lstat(dirname(driver.address)).catch(() => "gone")).toBe("gone");
});
