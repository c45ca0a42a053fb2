import { describe, expect, test } from "bun:test";
import { PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { Disturbance, FaultAction } from "@csi-sidecars/testcluster";
import { expanding, expandingAlone, type ResizerWorld, startWorld } from "./testing/resizer-world.ts";

/* The driver has expanded the volume, and that cannot be written: the write is retried, not the call. */

const isReal = process.env.TESTCLUSTER === "real";
const ofClaim = { verb: "patch", resource: "persistentvolumeclaims", subresource: "status" };
const ofVolume = { verb: "patch", resource: "persistentvolumes" };
const endings = { "with the node": expanding, "without the node": expandingAlone };

const failures: readonly [string, FaultAction][] = [
  ["an internal error", { do: "status", code: 500 }],
  ["a conflict", { do: "status", code: 409 }],
  ["a timeout", { do: "status", code: 504 }],
  ["a closed connection", { do: "refuse" }],
];

/** Waits until the volume is expanded and claim, volume and driver agree about that. */
async function untilExpanded(world: ResizerWorld): Promise<void> {
  const { status } = await world.until(
    ({ status }) => status?.capacity?.storage === "2Gi" || status?.allocatedResourceStatuses?.storage === "NodeResizePending",
  );
  expect(status?.allocatedResources).toEqual({ storage: "2Gi" });
  expect((await world.volume()).spec?.capacity).toEqual({ storage: "2Gi" });
  expect(world.driver.volumes.get("handle-data")?.capacityBytes).toBe(2n ** 31n);
}

const warnings = async (world: ResizerWorld) => (await world.events()).filter((event) => event.startsWith("Warning"));

describe("on whichever server", () => {
  for (const [ending, capabilities] of Object.entries(endings)) {
    test.each([
      ["the volume's capacity", "refused", PersistentVolume, 3],
      ["the volume's capacity", "lost", PersistentVolume, 1],
      ["the claim's status", "refused", PersistentVolumeClaim, 3],
      ["the claim's status", "lost", PersistentVolumeClaim, 1],
    ] as const)(`${ending}: the write of %s is %s: one call and no warning`, async (_what, how, resource, times) => {
      await using world = await startWorld({ driver: { capabilities } });
      await world.addClaim();
      const subresource = resource.plural === "persistentvolumeclaims" ? "status" : undefined;
      if (subresource) world.disturb({ resource, subresource, how: "sent", times: 1 });
      world.disturb({ resource, ...(subresource && { subresource }), how, times });
      await world.request("2Gi");
      await untilExpanded(world);
      await world.untilEvent(capabilities === expanding ? "FileSystemResizeRequired" : "VolumeResizeSuccessful");
      await world.stop();
      expect(world.asked()).toHaveLength(1);
      expect(await warnings(world)).toEqual([]);
    });
  }

  test("the first write is refused: the driver is not called before it is done", async () => {
    await using world = await startWorld();
    await world.addClaim();
    world.disturb({ resource: PersistentVolumeClaim, subresource: "status", how: "refused", times: 3 });
    await world.request("2Gi");
    await untilExpanded(world);
    await world.stop();
    expect(world.asked()).toHaveLength(1);
    expect(await warnings(world)).toEqual([]);
  });

  test("the volume's capacity cannot be written for long: users are warned", async () => {
    await using world = await startWorld();
    await world.addClaim();
    world.disturb({ resource: PersistentVolume, how: "refused", times: 8 });
    await world.request("2Gi");
    await world.untilEvent(
      'Warning VolumeResizeFailed: error updating pv "pv-data" by resizer: updating capacity of PV "pv-data" to 2Gi failed: mock error',
    );
    await untilExpanded(world);
    expect(world.asked()).toHaveLength(1);
  });

  test.each([
    ["with the node", expanding, 'mark PVC "default/data" as node expansion required failed: mock error'],
    ["without the node", expandingAlone, 'mark PVC "default/data" as resize finished failed: mock error'],
  ])("%s: the claim's status cannot be written for long: users are warned", async (_ending, capabilities, text) => {
    await using world = await startWorld({ driver: { capabilities } });
    await world.addClaim();
    world.disturb({ resource: PersistentVolumeClaim, subresource: "status", how: "sent", times: 1 });
    world.disturb({ resource: PersistentVolumeClaim, subresource: "status", how: "refused", times: 8 });
    await world.request("2Gi");
    await world.untilEvent(`Warning VolumeResizeFailed: ${text}`);
    await untilExpanded(world);
    expect(world.asked()).toHaveLength(1);
  });

  test("another size is requested meanwhile: the driver is called for that", async () => {
    await using world = await startWorld({ driver: { capabilities: expandingAlone } });
    await world.addClaim();
    world.disturb({ resource: PersistentVolume, how: "refused", times: 1, meanwhile: () => world.request("3Gi") });
    await world.request("2Gi");
    await world.until(({ status }) => status?.capacity?.storage === "3Gi");
    expect(world.asked()).toEqual([2n ** 31n, 3n * 2n ** 30n]);
  });
});

describe.skipIf(isReal)("faults of the server:", () => {
  for (const [what, match] of [
    ["the volume's capacity", ofVolume],
    ["the claim's status", ofClaim],
  ] as const) {
    test.each(failures)(`${what} cannot be written: %s, three times: one call and no warning`, async (_failure, action) => {
      await using world = await startWorld();
      await world.addClaim();
      await world.stop();
      // What begins an expansion is written already.
      await world.patchStatus({
        conditions: [{ type: "Resizing", status: "True" }],
        allocatedResources: { storage: "2Gi" },
        allocatedResourceStatuses: { storage: "ControllerResizeInProgress" },
      });
      const fault = world.cluster.embedded!.faults.add({ match, action, times: 3 });
      await world.request("2Gi");
      await world.run();
      await untilExpanded(world);
      await world.stop();
      expect(fault.hits).toBe(3);
      expect(world.asked()).toHaveLength(1);
      expect(await warnings(world)).toEqual([]);
    });

    test(`the answer to the write of ${what} is lost: one call`, async () => {
      await using world = await startWorld();
      await world.addClaim();
      world.cluster.embedded!.faults.add({ match, action: { do: "dropResponse" }, times: 1 });
      await world.request("2Gi");
      await untilExpanded(world);
      expect(world.asked()).toHaveLength(1);
    });
  }
});

describe("while the claim's status cannot be written,", () => {
  /** A world in which the driver has answered and the claim does not know. */
  async function unsaved(end: (world: ResizerWorld) => Pick<Disturbance, "how" | "meanwhile">): Promise<ResizerWorld> {
    const world = await startWorld({ driver: { capabilities: expandingAlone } });
    await world.addClaim();
    world.disturb({ resource: PersistentVolumeClaim, subresource: "status", how: "sent", times: 1 });
    world.disturb({ resource: PersistentVolumeClaim, subresource: "status", ...end(world) });
    await world.request("2Gi");
    return world;
  }

  test("the claim is deleted: nothing is left to do", async () => {
    await using world = await unsaved((world) => ({ how: "refused", meanwhile: () => world.removeClaim() }));
    await world.untilVolume(({ spec }) => spec?.capacity?.storage === "2Gi");
    await world.witness();
    expect(world.asked()).toHaveLength(1);
    await world.untilTrue(async () => (await world.metrics()).includes('{operation="resize",state="pending"} 0'));
  });

  test("the process is restarted: the driver is called again", async () => {
    await using world = await unsaved(() => ({ how: "dies before" }));
    await world.untilTrue(() => world.dead);
    await world.run();
    await untilExpanded(world);
    expect(world.asked()).toHaveLength(2);
  });
});
