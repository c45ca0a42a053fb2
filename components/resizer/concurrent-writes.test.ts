import { describe, expect, test } from "bun:test";
import { PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { type Disturbance, step } from "@csi-sidecars/testcluster";
import { Gi, isNodePending } from "./testing/objects.ts";
import { expandingAlone, type ResizerWorld, startWorld, type WorldOptions } from "./testing/resizer-world.ts";

/* Others write to claims and volumes at the same time: kubelet, the binder, users. */

const status = { resource: PersistentVolumeClaim, subresource: "status" } as const;
const warnings = async (world: ResizerWorld) => (await world.events()).filter((event) => event.startsWith("Warning"));

/** What somebody else does right before the n-th patch of a claim's status, or before that of the volume. */
function before(world: ResizerWorld, nth: 1 | 2 | "volume", meanwhile: () => Promise<unknown>): void {
  const last: Omit<Disturbance, "resource"> = { how: "sent", times: 1, meanwhile };
  if (nth === 2) world.disturb({ ...status, how: "sent", times: 1 });
  world.disturb(nth === "volume" ? { resource: PersistentVolume, ...last } : { ...status, ...last });
}

describe("a write of somebody else right before ours: one call, no warning, and both are there", () => {
  const writes: Readonly<Record<string, (world: ResizerWorld) => Promise<unknown>>> = {
    "a user annotates the claim": (world) => world.patchClaim({ metadata: { annotations: { mine: "yes" } } }),
    "another controller sets a condition": (world) =>
      world.patchStatus({ conditions: [{ type: "Unused", status: "True" }, ...resizingIf(world)], accessModes: ["ReadWriteOnce"] }),
    "another controller sets a resource status": (world) =>
      world.patchStatus({ allocatedResourceStatuses: { "example.com/iops": "NodeResizePending" } }),
  };
  for (const [what, write] of Object.entries(writes)) {
    test.each([1, "volume", 2] as const)(`${what}, before write %p`, async (nth) => {
      await using world = await startWorld();
      await world.addClaim();
      before(world, nth, () => write(world));
      await world.request("2Gi");
      const { metadata, status } = await world.until(isNodePending);
      expect([
        metadata?.annotations?.mine,
        status?.conditions?.[0]?.type,
        status?.allocatedResourceStatuses?.["example.com/iops"],
      ]).toContainEqual(what.includes("annotates") ? "yes" : what.includes("condition") ? "Unused" : "NodeResizePending");
      expect(world.asked()).toEqual([2n * Gi]);
      await world.stop();
      expect(await warnings(world)).toEqual([]);
    });
  }
});

/** The other controller keeps what is there: a merge patch replaces the whole list. */
function resizingIf(world: ResizerWorld): object[] {
  return world.asked().length > 0 ? [{ type: "Resizing", status: "True" }] : [];
}

describe("kubelet is faster than our last write", () => {
  test("it has expanded the file system: the claim stays as it left it", async () => {
    await using world = await startWorld();
    await world.addClaim();
    before(world, 2, () => world.patchStatus({ capacity: { storage: "2Gi" }, conditions: null, allocatedResourceStatuses: null }));
    await world.request("2Gi");
    await world.untilEvent("FileSystemResizeRequired");
    await world.untilVolume(({ metadata }) => metadata?.annotations === undefined);
    const { status } = await world.claim();
    expect(status).toMatchObject({ capacity: { storage: "2Gi" } });
    expect([status?.allocatedResourceStatuses, status?.conditions ?? []]).toEqual([undefined, []]);
    expect(world.asked()).toEqual([2n * Gi]);
  });

  test("it has begun: its status stays", async () => {
    await using world = await startWorld();
    await world.addClaim();
    before(world, 2, () => world.patchStatus({ allocatedResourceStatuses: { storage: "NodeResizeInProgress" } }));
    await world.request("2Gi");
    await world.untilEvent("FileSystemResizeRequired");
    await world.witness();
    expect((await world.claim()).status?.allocatedResourceStatuses).toEqual({ storage: "NodeResizeInProgress" });
    expect(world.asked()).toEqual([2n * Gi]);
  });
});

describe("the request changes right before a write", () => {
  test("before the first one: only the new size is asked for", async () => {
    await using world = await startWorld();
    await world.addClaim();
    before(world, 1, () => world.request("3Gi"));
    await world.request("2Gi");
    const { status } = await world.until(isNodePending);
    expect(status?.allocatedResources).toEqual({ storage: "3Gi" });
    expect(world.asked()).toEqual([3n * Gi]);
  });

  test("before the last one: the new size is next", async () => {
    await using world = await startWorld({ driver: { capabilities: expandingAlone } });
    await world.addClaim();
    before(world, 2, () => world.request("3Gi"));
    await world.request("2Gi");
    await world.until((claim) => claim.status?.capacity?.storage === "3Gi");
    expect(world.asked()).toEqual([2n * Gi, 3n * Gi]);
  });
});

describe("a claim is deleted during the call", () => {
  async function calling(then?: ReturnType<typeof step.fail>, flags: WorldOptions["flags"] = {}): Promise<ResizerWorld> {
    const world = await startWorld({ flags, driver: { script: { ControllerExpandVolume: [step.waitFor("go", then)] } } });
    await world.addClaim();
    await world.request("2Gi");
    await world.driver.called("ControllerExpandVolume");
    return world;
  }

  test("and is kept by a finalizer: its expansion is finished as usual", async () => {
    await using world = await calling();
    await world.patchClaim({ metadata: { finalizers: ["example.com/guard"] } });
    await world.admin.delete(PersistentVolumeClaim, { namespace: "default", name: "data" });
    world.driver.release("go");
    await world.until(isNodePending);
    await world.removeClaim();
  });

  test("and is gone: the volume has its real capacity, and nothing is stuck", async () => {
    await using world = await calling();
    await world.removeClaim();
    world.driver.release("go");
    await world.untilVolume(({ spec }) => spec?.capacity?.storage === "2Gi");
    await world.witness();
    await world.stop();
    expect(await warnings(world)).toEqual([]);
  });

  test("and is gone, and the driver refuses: nothing is remembered of it", async () => {
    await using world = await calling(step.fail("FailedPrecondition", "in use"));
    await world.removeClaim();
    world.driver.release("go");
    await world.untilTrue(() => world.log.lines.some(({ message }) => message.startsWith("Sync failed")));
    await world.witness();
    for (const state of ["pending", "in_use"]) {
      const line = `csi_sidecars_resizer_claims{operation="resize",state="${state}"} 0`;
      await world.untilTrue(async () => (await world.metrics()).includes(line));
    }
  });

  test("and is made anew under the same name: the new one inherits nothing", async () => {
    await using world = await calling();
    await world.removeClaim();
    const made = await world.addClaim();
    world.driver.release("go");
    await world.untilVolume(({ spec }) => spec?.capacity?.storage === "2Gi");
    await world.witness();
    const { status, metadata } = await world.claim();
    expect(metadata?.uid).toBe(made.metadata?.uid);
    expect(status).toEqual(made.status as never);
    expect(world.asked()).toEqual([2n * Gi]);
  });

  test("and is made anew with a volume of its own, and the driver refuses the old one: the new one is expanded at once", async () => {
    await using world = await calling(step.fail("OutOfRange", "too big"), { retryIntervalStart: 60_000, retryIntervalMax: 600_000 });
    await world.removeClaim();
    await world.cluster.removeUnderFinalizers(PersistentVolume, { name: "pv-data" });
    await world.addClaim({ request: "2Gi" });
    world.driver.release("go");
    const { status } = await world.until(isNodePending);
    expect(status?.conditions?.map(({ type }) => type)).toEqual(["Resizing", "FileSystemResizePending"]);
    expect(world.asked()).toEqual([2n * Gi, 2n * Gi]);
  });
});

test("a claim that is made anew inherits neither a failure nor its backoff", async () => {
  await using world = await startWorld({
    flags: { retryIntervalStart: 60_000, retryIntervalMax: 600_000 },
    driver: { maximumVolumeBytes: 6n * Gi },
  });
  await world.addClaim({ request: "10Gi" });
  await world.until((claim) => claim.status?.allocatedResourceStatuses?.storage === "ControllerResizeInfeasible");
  await world.removeClaim();
  await world.admin.delete(PersistentVolume, { name: "pv-data" });
  await world.cluster.removeUnderFinalizers(PersistentVolume, { name: "pv-data" }).catch(() => undefined);
  await world.addClaim({ request: "10Gi" });
  await world.until((claim) => claim.status?.allocatedResourceStatuses?.storage === "ControllerResizeInfeasible");
  expect(world.asked()).toHaveLength(2);
  await world.untilTrue(async () => (await world.metrics()).includes('{operation="resize",state="infeasible"} 1'));
});

test("the API server is restarted during the call", async () => {
  await using world = await startWorld({
    ownServer: true,
    driver: { capabilities: expandingAlone, script: { ControllerExpandVolume: [step.waitFor("go")] } },
  });
  await world.addClaim();
  await world.request("2Gi");
  await world.driver.called("ControllerExpandVolume");
  await world.cluster.stop("abrupt");
  world.driver.release("go");
  await world.untilTrue(() => world.log.lines.some(({ message }) => message.startsWith("Sync failed")));
  await world.cluster.start();
  await world.until((claim) => claim.status?.capacity?.storage === "2Gi");
  expect(world.asked()).toEqual([2n * Gi]);
}, 60_000);
