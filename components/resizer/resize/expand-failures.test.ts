import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { Code, GrpcError } from "@csi-sidecars/csi";
import { PersistentVolumeClaim } from "@csi-sidecars/kube";
import { shortestResync, step, untilResynced } from "@csi-sidecars/testcluster";
import { driverName, G, Gi, isNodePending } from "../testing/objects.ts";
import { expandingAlone, type ResizerWorld, startWorld, type WorldOptions } from "../testing/resizer-world.ts";

const failed = (cause: string) => `Warning VolumeResizeFailed: resize volume "pv-data" by resizer "csi.example.com" failed: ${cause}`;

/** A world whose clock stands still, and a driver that notes when it is called and always answers with this code. */
async function failing(code: keyof typeof Code, options: WorldOptions = {}) {
  const clock = new FakeClock();
  const times: number[] = [];
  const world = await startWorld({ clock, ...options, flags: { retryIntervalStart: 1_000, retryIntervalMax: 20_000, ...options.flags } });
  world.driver.always(
    "ControllerExpandVolume",
    step.reply(() => {
      times.push(clock.monotonic() / 1000);
      throw new GrpcError(Code[code], "no");
    }),
  );
  /** Waits until the n-th attempt is over, then lets the time pass. */
  const pass = async (attempts: number, seconds: number) => {
    const over = /^Sync failed|^The size is infeasible/;
    await world.untilTrue(() => world.log.lines.filter(({ message }) => over.test(message)).length >= attempts);
    await clock.advance(seconds * 1000);
  };
  return { world, clock, times, pass };
}

describe("a driver that always fails is called on the curve of the backoff, and never else", () => {
  test.each(["Internal", "DeadlineExceeded", "FailedPrecondition"] as const)("%s", async (code) => {
    const { world, times, pass } = await failing(code);
    await using _ = world;
    await world.addClaim({ request: "2Gi" });
    for (const [attempt, delay] of [1, 2, 4, 8, 16, 20, 20].entries()) await pass(attempt + 1, delay);
    await world.driver.called("ControllerExpandVolume", 8);
    await pass(8, 0);
    expect(times).toEqual([0, 1, 3, 7, 15, 31, 51, 71]);
    await world.stop();
    const patches = (await world.requests()).filter((request) => request.startsWith("patch"));
    expect(patches).toHaveLength(code === "DeadlineExceeded" ? 1 : 2);
  });
});

test("a resync calls the driver for no claim before its time", async () => {
  const flags = { ...shortestResync, retryIntervalStart: 3_600_000, retryIntervalMax: 3_600_000 };
  await using world = await startWorld({ flags });
  world.driver.script("ControllerExpandVolume", step.fail("Internal", "no"));
  await world.addClaim({ request: "2Gi" });
  await world.untilEvent(failed("rpc error: code = Internal desc = no"));
  await world.witness();
  // Each resync looks at it, and waits for kubelet.
  await world.until(isNodePending, "witness");
  await untilResynced(world, `${driverName}-pvc`);
  await world.stop();
  expect([world.asked().length, world.asked("witness").length]).toEqual([1, 1]);
});

describe("a size that the driver refuses for good", () => {
  test.each(["OutOfRange", "InvalidArgument", "NotFound"] as const)("%s: is tried once in each period", async (code) => {
    const { world, times, pass } = await failing(code);
    await using _ = world;
    await world.addClaim({ request: "2Gi" });
    const { status } = await world.until((claim) => claim.status?.allocatedResourceStatuses?.storage === "ControllerResizeInfeasible");
    expect(status?.conditions?.map(({ type }) => type)).toEqual(["Resizing", "ControllerResizeError"]);
    expect(status?.conditions?.[1]).toMatchObject({
      status: "True",
      message: `failed to expand pvc with rpc error: code = ${code} desc = no`,
    });
    await world.untilEvent(failed(`rpc error: code = ${code} desc = no`));
    expect(await world.metrics()).toContain('csi_sidecars_resizer_claims{operation="resize",state="infeasible"} 1');
    for (const attempt of [1, 2]) {
      await pass(attempt, 19);
      await pass(attempt, 1);
      await world.driver.called("ControllerExpandVolume", attempt + 1);
    }
    await pass(3, 0);
    expect(times).toEqual([0, 20, 40]);
    await world.stop();
    // In progress and infeasible: the same again is not written again.
    expect((await world.requests()).filter((request) => request.startsWith("patch"))).toHaveLength(2);
  });

  test("a lowered request is tried at once", async () => {
    await using world = await startWorld({
      flags: { retryIntervalStart: 60_000, retryIntervalMax: 600_000 },
      driver: { maximumVolumeBytes: 6n * G },
    });
    await world.addClaim({ capacity: "3G" });
    await world.request("10G");
    await world.until((claim) => claim.status?.allocatedResourceStatuses?.storage === "ControllerResizeInfeasible");
    await world.request("5G");
    const { status } = await world.until(isNodePending);
    expect(status?.allocatedResources).toEqual({ storage: "5G" });
    expect(status?.conditions?.map(({ type }) => type)).toEqual(["Resizing", "FileSystemResizePending"]);
    expect(world.asked()).toEqual([10n * G, 5n * G]);
  });

  test("a request that is lowered right before that is written is tried at once, also if the watch is interrupted", async () => {
    await using world = await startWorld({
      flags: { retryIntervalStart: 60_000, retryIntervalMax: 600_000 },
      driver: { maximumVolumeBytes: 6n * G },
    });
    await world.addClaim({ capacity: "3G" });
    const status = { resource: PersistentVolumeClaim, subresource: "status", times: 1 } as const;
    world.disturb({ ...status, how: "sent" }, { ...status, how: "unseen", meanwhile: () => world.request("5G") });
    await world.request("10G");
    await world.until((claim) => claim.status?.allocatedResourceStatuses?.storage === "ControllerResizeInfeasible");
    world.releaseWatches("expired");
    await world.until((claim) => isNodePending(claim) && claim.status?.allocatedResources?.storage === "5G");
    expect(world.asked()).toEqual([10n * G, 5n * G]);
  });

  test("a mark that cannot be written is written later, without another call", async () => {
    await using world = await startWorld({ driver: { maximumVolumeBytes: 6n * G } });
    await world.addClaim({ capacity: "3G" });
    world.disturb({ resource: PersistentVolumeClaim, subresource: "status", how: "sent", times: 1 });
    world.disturb({ resource: PersistentVolumeClaim, subresource: "status", how: "refused", times: 2 });
    await world.request("10G");
    await world.until((claim) => claim.status?.allocatedResourceStatuses?.storage === "ControllerResizeInfeasible");
    expect(world.asked()).toEqual([10n * G]);
    await world.untilEvent(
      "Warning VolumeResizeFailed: resizing failed in controller with rpc error: code = OutOfRange desc = volumes end at 6000000000 bytes but failed to update PVC default/data with: ",
    );
  });
});

describe("a request that is lowered after a failure", () => {
  /** Requests 10G, which fails in a certain way, and then 5G. */
  async function lower(world: ResizerWorld): Promise<void> {
    await world.addClaim({ capacity: "3G" });
    await world.request("10G");
    await world.untilEvent("VolumeResizeFailed");
    await world.request("5G");
  }
  const slow = { retryIntervalStart: 500, retryIntervalMax: 60_000 };

  test("the driver had answered: it is tried at once", async () => {
    await using world = await startWorld({ flags: slow, driver: { script: { ControllerExpandVolume: [step.fail("Internal", "no")] } } });
    await lower(world);
    const { status } = await world.until(isNodePending);
    expect(status?.allocatedResources).toEqual({ storage: "5G" });
    expect(world.asked()).toEqual([10n * G, 5n * G]);
  });

  test.each([
    ["FailedPrecondition", "ControllerResizeInProgress"],
    ["InvalidArgument", "ControllerResizeInfeasible"],
  ] as const)("the smaller one fails too, with %s", async (code, expected) => {
    await using world = await startWorld({
      flags: slow,
      driver: { script: { ControllerExpandVolume: [step.fail("Internal", "no"), ...Array(50).fill(step.fail(code, "not this either"))] } },
    });
    await lower(world);
    const { status } = await world.until(({ status }) => status?.conditions?.some(({ message }) => message?.includes("not this either")));
    expect(status?.allocatedResources).toEqual({ storage: "5G" });
    expect(status?.allocatedResourceStatuses).toEqual({ storage: expected });
    expect(world.asked()[1]).toBe(5n * G);
  });

  test("it may still succeed: it goes first", async () => {
    await using world = await startWorld({
      flags: slow,
      driver: { script: { ControllerExpandVolume: [step.fail("Aborted", "pending")] } },
    });
    await lower(world);
    const { status } = await world.until(isNodePending);
    expect(status?.allocatedResources).toEqual({ storage: "10G" });
    expect(world.asked()).toEqual([10n * G, 10n * G]);
  });
});

describe("an answer that makes no sense is a failed attempt", () => {
  const less = (answered: bigint) => `the driver answered with a capacity of ${answered} bytes, less than the requested ${2n * Gi} bytes`;
  test.each<[string, bigint, string]>([
    ["nothing", 0n, less(0n)],
    ["less than nothing", -5n, less(-5n)],
    ["less than asked", Gi, less(Gi)],
    ["more than a number can say, which wraps around", -(2n ** 63n), less(-(2n ** 63n))],
    [
      "the largest number",
      2n ** 63n - 1n,
      `the driver answered with a capacity of 9223372036854775807 bytes, which no volume has, to a request for ${2n * Gi} bytes`,
    ],
  ])("%s", async (_what, capacityBytes, problem) => {
    const script = { ControllerExpandVolume: [step.reply({ capacityBytes, nodeExpansionRequired: false })] };
    await using world = await startWorld({ driver: { script, capabilities: expandingAlone } });
    await world.addClaim({ request: "2Gi" });
    await world.untilEvent(failed(problem));
    await world.until((claim) => claim.status?.capacity?.storage === "2Gi");
    expect((await world.volume()).spec?.capacity).toEqual({ storage: "2Gi" });
    await world.stop();
    // In progress, refused, and what the second call brought: no capacity was written after the first one.
    expect(await world.requests()).toEqual([
      "patch persistentvolumeclaims/status data",
      "patch persistentvolumeclaims/status data",
      "patch persistentvolumes pv-data",
      "patch persistentvolumeclaims/status data",
    ]);
  });
});

test("an answer that is lost is asked for again", async () => {
  await using world = await startWorld({ driver: { script: { ControllerExpandVolume: [step.lost, step.lost] } } });
  await world.addClaim({ request: "2Gi" });
  await world.until(isNodePending);
  expect(world.asked()).toEqual([2n * Gi, 2n * Gi, 2n * Gi]);
});
