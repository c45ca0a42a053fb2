import { expect, test } from "bun:test";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { step } from "../step.ts";
import { clientOf, create, failureOf, GiB } from "../testing/driver-client.ts";
import { startDriverProcess } from "./driver-process.ts";

test("a driver in a process of its own is scripted and asked over its control channel", async () => {
  await using driver = await startDriverProcess({
    capabilities: "full",
    volumes: [{ id: "v", publishedTo: ["n1"] }],
    script: { CreateVolume: [step.lost] },
    snapshotsReady: false,
  });
  using client = clientOf(driver);
  expect((await failureOf(client.controller.createVolume(create("a", 2n * GiB)))).origin).toBe("transport");
  expect((await driver.state()).volumes).toMatchObject([
    { id: "v", publishedTo: ["n1"] },
    { name: "a", capacityBytes: 2n * GiB },
  ]);
  await driver.script("CreateVolume", step.reply({ volume: { volumeId: "told", capacityBytes: 5n } }));
  expect((await client.controller.createVolume(create("b"))).volume).toMatchObject({ volumeId: "told", capacityBytes: 5n });
  expect((await driver.calls()).map(({ method, outcome }) => [method, outcome?.kind])).toEqual([
    ["CreateVolume", "unanswered"],
    ["CreateVolume", "answered"],
  ]);

  await driver.script("CreateVolume", step.waitFor("go"));
  const waiting = client.controller.createVolume(create("c"));
  await driver.release("go");
  await waiting;

  await driver.script("CreateSnapshot", step.lost);
  const snapshot = () => client.controller.createSnapshot({ name: "s", sourceVolumeId: "v" });
  expect((await failureOf(snapshot())).origin).toBe("transport");
  expect((await snapshot()).snapshot?.readyToUse).toBe(false);
  await driver.finishSnapshots();
  expect((await snapshot()).snapshot?.readyToUse).toBe(true);
  expect((await driver.state()).snapshots).toHaveLength(1);

  await driver.kill();
  expect((await driver.state()).running).toBe(false);
  await driver.start();
  await client.identity.probe({}, { waitForReady: true, timeoutMs: 5_000 });
  expect((await driver.state()).volumes).toHaveLength(3);
  expect(
    String(
      await driver
        .script(
          "Probe",
          step.reply(() => ({})),
        )
        .catch((error) => error),
    ),
  ).toContain("cannot be given");
});

test("it dies like a process, and nothing of it is left", async () => {
  const driver = await startDriverProcess();
  using client = clientOf(driver);
  await client.identity.probe({});
  await driver.end("SIGKILL");
  expect((await lstat(driver.address)).isSocket()).toBe(true);
  await driver[Symbol.asyncDispose]();
  expect(await lstat(dirname(driver.address)).catch(() => "gone")).toBe("gone");
});

test("it ends with an error when it cannot serve", async () => {
  expect(String(await startDriverProcess({ socket: "/does/not/exist/csi.sock" }).catch((error) => error))).toContain("before it was ready");
});
