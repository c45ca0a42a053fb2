import { describe, expect, test } from "bun:test";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { step } from "@csi-sidecars/testcluster";
import { groupContent, preProvisioned } from "./testing/group-objects.ts";
import { type GroupWorld, type GroupWorldOptions, startGroupWorld } from "./testing/group-world.ts";

type Method = "CreateVolumeGroupSnapshot" | "GetVolumeGroupSnapshot" | "DeleteVolumeGroupSnapshot";

/** A world whose retries happen when the test says so. */
async function timedWorld(clock: FakeClock, options: GroupWorldOptions = {}): Promise<GroupWorld> {
  return startGroupWorld({ ...options, clock, flags: { retryIntervalStart: 1_000, retryIntervalMax: 300_000 } });
}

/** How long the component waits after each of the calls, in seconds. Nothing else makes it call. */
async function delays(world: GroupWorld, clock: FakeClock, method: Method, calls: number): Promise<number[]> {
  const waits: number[] = [];
  for (let call = 1; call <= calls; call++) {
    await world.driver.called(method, call);
    await until(
      () => `a retry after call ${call}`,
      () => clock.waiting === 1,
    );
    expect(world.driver.calls(method)).toHaveLength(call);
    const wait = clock.nextIn ?? 0;
    waits.push(wait / 1000);
    await clock.advance(wait);
  }
  return waits;
}

describe("calls follow the backoff of errors", () => {
  const backoff = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300];

  test.each(["Internal", "DeadlineExceeded"] as const)("creation, with %s", async (code) => {
    const clock = new FakeClock();
    await using world = await timedWorld(clock);
    world.driver.always("CreateVolumeGroupSnapshot", step.fail(code));
    await world.addContent();
    expect(await delays(world, clock, "CreateVolumeGroupSnapshot", backoff.length)).toEqual(backoff);
  });

  test("a pre-provisioned group snapshot that is not found", async () => {
    const clock = new FakeClock();
    await using world = await timedWorld(clock);
    await world.addContent(preProvisioned("gone", ["s"]));
    expect(await delays(world, clock, "GetVolumeGroupSnapshot", 5)).toEqual(backoff.slice(0, 5));
  });

  test("deletion", async () => {
    const clock = new FakeClock();
    await using world = await timedWorld(clock);
    await world.addContent();
    await world.until(({ status }) => status?.readyToUse);
    world.driver.always("DeleteVolumeGroupSnapshot", step.fail("Internal"));
    await world.deleteContent();
    expect(await delays(world, clock, "DeleteVolumeGroupSnapshot", 5)).toEqual(backoff.slice(0, 5));
  });

  test("changes of what is not ours to read do not shorten it", async () => {
    const clock = new FakeClock();
    await using world = await timedWorld(clock);
    world.driver.script("CreateVolumeGroupSnapshot", step.fail("Internal"));
    await world.addContent();
    await world.driver.called("CreateVolumeGroupSnapshot");
    await until("a retry", () => clock.waiting === 1);
    await world.patchContent({ metadata: { labels: { any: "change" } } });
    await world.patchStatus({ error: { message: "theirs" } });
    await world.witness();
    expect(world.asked()).toHaveLength(1);
  });
});

describe("readiness is asked for on a curve of its own", () => {
  /** In seconds: a tenth of the time since the first answer, at least 1 s, at most 10 s in the first two minutes and 30 s later. */
  function expected(count: number): number[] {
    const waits: number[] = [];
    for (let since = 0; waits.length < count; since += waits.at(-1) ?? 0) {
      waits.push(Math.ceil(Math.max(1_000, Math.min(since <= 120_000 ? 10_000 : 30_000, since / 10))));
    }
    return waits.map((wait) => wait / 1_000);
  }

  test.each([
    ["of volumes", "CreateVolumeGroupSnapshot"],
    ["pre-provisioned", "GetVolumeGroupSnapshot"],
  ] as const)("%s, by a driver that is never ready", async (kind, method) => {
    const clock = new FakeClock();
    await using world = await timedWorld(clock, { driver: { snapshotsReady: false } });
    const { id, snapshotIds } = world.driver.addGroup(["a", "b"]);
    await world.addContent(kind === "of volumes" ? groupContent() : preProvisioned(id, snapshotIds));
    expect(await delays(world, clock, method, 60)).toEqual(expected(60));
  });

  test("an error in between has a backoff of its own", async () => {
    const clock = new FakeClock();
    await using world = await timedWorld(clock, { driver: { snapshotsReady: false } });
    world.driver.script(
      "CreateVolumeGroupSnapshot",
      step.act,
      step.act,
      step.fail("Internal"),
      step.fail("Internal"),
      step.fail("Internal"),
    );
    await world.addContent();
    expect(await delays(world, clock, "CreateVolumeGroupSnapshot", 6)).toEqual([1, 1, 1, 2, 4, 1]);
  });

  test("new group snapshots go first", async () => {
    const clock = new FakeClock();
    const flags = { retryIntervalStart: 1_000, retryIntervalMax: 300_000, workerThreads: 1 };
    await using world = await startGroupWorld({ clock, driver: { snapshotsReady: false }, flags });
    const add = (name: string) => {
      const ref = { ...groupContent().spec?.volumeGroupSnapshotRef, name, uid: name };
      return world.addContent(groupContent({ metadata: { name }, spec: { volumeGroupSnapshotRef: ref } }));
    };
    const depth = async (n: number) =>
      (await world.metrics()).includes(`workqueue_depth{name="csi-snapshotter-groupsnapshotcontent"} ${n}\n`);
    // What is there at the start has a low priority anyway.
    await add("first");
    await until("the poll of the first", () => clock.waiting === 1);
    await add("polled");
    await world.until(({ status }) => status?.volumeGroupSnapshotHandle, "polled");
    world.driver.script("CreateVolumeGroupSnapshot", step.waitFor("the only worker"));
    await add("long");
    await world.driver.called("CreateVolumeGroupSnapshot", 3);
    await clock.advance(1_000);
    await world.untilTrue(() => depth(2));
    await add("new");
    await world.untilTrue(() => depth(3));
    world.driver.release("the only worker");
    await world.driver.called("CreateVolumeGroupSnapshot", 5);
    const asked = world.driver.calls("CreateVolumeGroupSnapshot").map(({ request }) => request.name.replace("groupsnapshot-", ""));
    expect(asked.slice(0, 5)).toEqual(["first", "polled", "long", "new", "first"]);
  });

  test("what others change does not make it be asked early", async () => {
    const clock = new FakeClock();
    await using world = await timedWorld(clock, { driver: { snapshotsReady: false } });
    await world.addContent();
    await world.until(({ status }) => status?.volumeGroupSnapshotHandle);
    await until("a poll", () => clock.waiting === 1);
    await world.patchContent({ metadata: { annotations: { "groupsnapshot.storage.kubernetes.io/deletion-secret-name": "x" } } });
    await world.witness();
    expect(world.asked()).toHaveLength(1);
  });
});
