import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { Code, GrpcError } from "@csi-sidecars/csi";
import { step } from "@csi-sidecars/testcluster";
import { readinessPollMs } from "../readiness-poll.ts";
import { type ContentWorld, creationRequests, startWorld } from "./testing/content-world.ts";

const seconds = { retryIntervalStart: 1_000, retryIntervalMax: 300_000 };

/** A world with a clock of its own, which notes when the driver is called, in seconds. */
async function timed(answer: (call: number) => "unready" | "ready" | "fail") {
  const clock = new FakeClock();
  const times: number[] = [];
  const world = await startWorld({ clock, flags: seconds });
  world.driver.always(
    "CreateSnapshot",
    step.reply((_: unknown, carryOut: () => { snapshot?: object }) => {
      times.push(clock.monotonic() / 1000);
      const next = answer(times.length);
      if (next === "fail") throw new GrpcError(Code.Internal, "no");
      return { snapshot: { ...carryOut().snapshot, readyToUse: next === "ready" } };
    }) as never,
  );
  /** Waits until the n-th call is dealt with, and then for the time of the next one. */
  const pass = async (calls: number) => {
    const over = /^Sync failed|^The driver has described/;
    await world.untilTrue(() => world.log.lines.filter(({ message }) => over.test(message)).length >= calls);
    await clock.advance(0);
    await clock.advance(clock.nextIn ?? 0);
  };
  return { world, clock, times, pass };
}

describe("a snapshot that is not ready", () => {
  test("is asked for on its own curve, without a mark and without a write, until it is", async () => {
    const { world, times, pass } = await timed((call) => (call === 14 ? "ready" : "unready"));
    await using _ = world;
    await world.addContent();
    for (let call = 1; call < 14; call++) await pass(call);
    await world.untilReady();
    await world.stop();
    const expected = [0];
    while (expected.length < 14) expected.push((expected.at(-1) ?? 0) + readinessPollMs((expected.at(-1) ?? 0) * 1000, 1_000) / 1000);
    expect(times.map((time) => time.toFixed(3))).toEqual(expected.map((time) => time.toFixed(3)));
    expect(await world.requests()).toEqual([...creationRequests, "patch volumesnapshotcontents/status data"]);
  });

  test("an error in between is retried by the backoff of errors, and kept in the status until the next answer", async () => {
    const { world, times, pass } = await timed((call) => (call === 2 || call === 3 ? "fail" : call === 5 ? "ready" : "unready"));
    await using _ = world;
    await world.addContent();
    await pass(1);
    await pass(2);
    const { status } = await world.content();
    expect([
      status?.readyToUse,
      status?.error?.message?.includes("Failed to check and update snapshot content"),
      status?.snapshotHandle,
    ]).toEqual([false, true, "snap-1"]);
    await pass(3);
    await world.until(({ status }) => status?.error === undefined);
    await pass(4);
    await world.untilReady();
    expect(times).toEqual([0, 1, 2, 4, 5]);
  });

  test("is not asked for earlier, whoever writes to the content meanwhile", async () => {
    const { world, clock, times, pass } = await timed((call) => (call === 3 ? "ready" : "unready"));
    await using _ = world;
    await world.addContent();
    await pass(1);
    await world.driver.called("CreateSnapshot", 2);
    await world.untilTrue(() => world.log.lines.filter(({ message }) => message.startsWith("The driver has described")).length >= 2);
    await world.patchContent({ metadata: { annotations: { "snapshot.storage.kubernetes.io/deletion-secret-name": "x" } } });
    await world.addContent({ name: "witness" });
    await world.driver.called("CreateSnapshot", 3);
    expect(times).toEqual([0, 1, 1]);
    await clock.advance(1_000);
    await world.driver.called("CreateSnapshot", 4);
    expect(world.driver.calls("CreateSnapshot").at(3)?.request.sourceVolumeId).toBe("vol-data");
  });

  test("a new process goes on asking", async () => {
    await using world: ContentWorld = await startWorld({ driver: { snapshotsReady: false } });
    await world.addContent();
    await world.until(({ status }) => status?.snapshotHandle);
    await world.kill();
    world.driver.finishSnapshots();
    await world.run();
    await world.untilReady();
    expect(world.driver.snapshots.size).toBe(1);
  });
});

test.each([
  [0, 1_000],
  [30_000, 3_000],
  [120_000, 10_000],
  [121_000, 12_100],
  [3_600_000, 30_000],
])("%d ms after the first answer the next one is %d ms away", (since, wait) => expect(readinessPollMs(since, 1_000)).toBe(wait));
