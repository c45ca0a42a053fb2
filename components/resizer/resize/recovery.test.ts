import { describe, expect, test } from "bun:test";
import { step } from "@csi-sidecars/testcluster";
import { type BoundClaim, expansionWrites, G, Gi, isNodePending, type ResizeStatus } from "../testing/objects.ts";
import { expanding, expandingAlone, startWorld, type WorldOptions } from "../testing/resizer-world.ts";

const notRequired = "volume.kubernetes.io/node-expansion-not-required";
const alone = { driver: { capabilities: expandingAlone } };
/** Only nodes expand: upstream's trivial resizer. */
const nodeOnly = { driver: { capabilities: { ...expanding, controller: ["CREATE_DELETE_VOLUME"] } } } as const;

describe("recovery", () => {
  type Row = [BoundClaim, WorldOptions, { status: ResizeStatus | undefined; allocated: string; asked: bigint[] }];
  const at = (sizes: [string, string, string?], volume: string, status?: ResizeStatus): BoundClaim => ({
    ...{ request: sizes[0], capacity: sizes[1], volume: { spec: { capacity: { storage: volume } } } },
    status: {
      ...(sizes[2] && { allocatedResources: { storage: sizes[2] } }),
      ...(status && { allocatedResourceStatuses: { storage: status } }),
    },
  });

  test.each<Row>([
    [at(["2G", "1G"], "1Gi"), {}, { status: "NodeResizePending", allocated: "2G", asked: [2n * G] }],
    [at(["5G", "3G", "10G"], "3Gi", "ControllerResizeInfeasible"), {}, { status: "NodeResizePending", allocated: "5G", asked: [5n * G] }],
    [at(["5G", "3G", "10G"], "3Gi", "ControllerResizeInProgress"), {}, { status: "NodeResizePending", allocated: "10G", asked: [10n * G] }],
    [at(["5G", "3G", "10G"], "10Gi", "NodeResizeInfeasible"), nodeOnly, { status: "NodeResizePending", allocated: "5G", asked: [] }],
    [at(["2G", "1G"], "1Gi"), alone, { status: undefined, allocated: "2G", asked: [2n * G] }],
    [at(["2G", "1G", "2G"], "2Gi", "NodeResizeInfeasible"), {}, { status: "NodeResizePending", allocated: "2G", asked: [2n * G] }],
  ])("%j", async (parts, options, { status, allocated, asked }) => {
    await using world = await startWorld(options);
    await world.addClaim(parts);
    const done = await world.until(
      (claim) => claim.status?.allocatedResourceStatuses?.storage === status && claim.status?.allocatedResources?.storage === allocated,
    );
    expect(world.asked()).toEqual(asked);
    if (status === undefined) expect(done.metadata?.annotations).toEqual({ [notRequired]: "true" });
  });

  test.each<BoundClaim[]>([
    [at(["2G", "1G", "2G"], "2G", "NodeResizePending")],
    [at(["10G", "1G", "3G"], "3Gi", "NodeResizePending")],
    [at(["10G", "1G", "3G"], "3Gi", "NodeResizeInProgress")],
  ])("kubelet's turn: %j", async (parts) => {
    await using world = await startWorld();
    const { status } = await world.addClaim(parts);
    await world.witness();
    expect((await world.claim()).status).toEqual(status as never);
    expect(world.asked()).toEqual([]);
  });

  test("an old kubelet has left the status of a finished expansion: it is cleared, and the next size follows", async () => {
    await using world = await startWorld();
    world.driver.addVolume({ id: "handle-data", capacityBytes: 2n * Gi });
    const status = {
      allocatedResources: { storage: "2Gi" },
      allocatedResourceStatuses: { storage: "ControllerResizeInProgress", "example.com/iops": "NodeResizePending" },
    } as const;
    await world.addClaim({ capacity: "2Gi", request: "3Gi", status });
    const { status: after } = await world.until(isNodePending);
    expect(after?.allocatedResources).toEqual({ storage: "3Gi" });
    expect(after?.allocatedResourceStatuses?.["example.com/iops"]).toBe("NodeResizePending");
    expect(world.asked()).toEqual([2n * Gi, 3n * Gi]);
  });

  test("a volume that an administrator has made larger: the node is asked, once", async () => {
    await using world = await startWorld();
    const volume = { spec: { capacity: { storage: "2Gi" } } };
    world.driver.addVolume({ id: "handle-data", capacityBytes: 2n * Gi });
    await world.addClaim({ request: "2Gi", status: { allocatedResources: { storage: "1Gi" } }, volume });
    await world.until(isNodePending);
    await world.witness();
    expect(world.asked()).toEqual([Gi]);
    expect((await world.volume()).spec?.capacity).toEqual({ storage: "2Gi" });
  });

  test("the trivial resizer lowers the volume again, and writes the user's own quantity", async () => {
    await using world = await startWorld(nodeOnly);
    await world.addClaim(at(["5G", "3G", "10G"], "10Gi", "NodeResizeInfeasible"));
    await world.untilVolume(({ spec }) => spec?.capacity?.storage === "5G");
  });

  test("what others wrote into the claim stays", async () => {
    await using world = await startWorld();
    const foreign = { type: "Unused", status: "True", message: "since May" } as const;
    await world.addClaim({
      metadata: { annotations: { mine: "yes", [notRequired]: "true" } },
      status: { conditions: [foreign], allocatedResourceStatuses: { "example.com/iops": "NodeResizePending" } },
    });
    await world.request("2Gi");
    const { status, metadata } = await world.until(isNodePending);
    expect(status?.conditions?.map(({ type }) => type)).toEqual(["Unused", "Resizing", "FileSystemResizePending"]);
    expect(status?.allocatedResourceStatuses).toEqual({ storage: "NodeResizePending", "example.com/iops": "NodeResizePending" });
    expect(metadata?.annotations).toEqual({ mine: "yes" });
  });
});

describe("without recovery", () => {
  const plain = { gatesOff: ["RecoverVolumeExpansionFailure"] };

  test("only conditions, capacity and events tell about it", async () => {
    await using world = await startWorld({ ...plain, driver: { capabilities: expandingAlone } });
    await world.addClaim();
    await world.request("2Gi");
    const { status, metadata } = await world.until((claim) => claim.status?.capacity?.storage === "2Gi");
    expect(status).toEqual({ phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "2Gi" } });
    expect(metadata?.annotations).toBeUndefined();
    await world.untilEvent("Normal VolumeResizeSuccessful: Resize volume succeeded");
    await world.stop();
    expect([await world.requests(), await world.refused()]).toEqual([expansionWrites, []]);
  });

  test("the node has to do its part", async () => {
    await using world = await startWorld(plain);
    await world.addClaim();
    await world.request("2Gi");
    const { status } = await world.until(({ status }) => status?.conditions?.some(({ type }) => type === "FileSystemResizePending"));
    expect(status?.conditions?.map(({ type }) => type)).toEqual(["FileSystemResizePending"]);
    expect(status?.allocatedResources).toBeUndefined();
    await world.untilEvent("Normal FileSystemResizeRequired: Require file system resize of volume on node");
    expect(world.asked()).toEqual([2n * Gi]);
  });

  test("an infeasible size is retried as any other failure, and leaves no condition but Resizing", async () => {
    await using world = await startWorld({
      ...plain,
      flags: { retryIntervalStart: 10, retryIntervalMax: 600_000 },
      driver: { script: { ControllerExpandVolume: Array(3).fill(step.fail("OutOfRange", "too big")) } },
    });
    await world.addClaim();
    await world.request("2Gi");
    await world.driver.called("ControllerExpandVolume", 4);
    await world.untilEvent(
      'Warning VolumeResizeFailed: resize volume "pv-data" by resizer "csi.example.com" failed: rpc error: code = OutOfRange desc = too big',
    );
    await world.until(({ status }) => status?.conditions?.some(({ type }) => type === "FileSystemResizePending"));
  });
});
