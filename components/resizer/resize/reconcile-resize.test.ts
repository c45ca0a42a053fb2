import { describe, expect, test } from "bun:test";
import { mergePatch, PersistentVolume, Secret } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { type BoundClaim, driverName, type ResizeStatus } from "../testing/objects.ts";
import { expanding, expandingAlone, type ResizerWorld, startWorld, type WorldOptions } from "../testing/resizer-world.ts";

const Gi = 2n ** 30n;
const G = 10n ** 9n;
const threeWrites = [
  "patch persistentvolumeclaims/status data",
  "patch persistentvolumes pv-data",
  "patch persistentvolumeclaims/status data",
];
const note = "volume.alpha.kubernetes.io/pre-resize-capacity";
const notRequired = "volume.kubernetes.io/node-expansion-not-required";
const alone = { driver: { capabilities: expandingAlone } };
/** Only nodes expand: upstream's trivial resizer. */
const nodeOnly = { driver: { capabilities: { ...expanding, controller: ["CREATE_DELETE_VOLUME"] } } } as const;

const pending = (claim: { status?: { allocatedResourceStatuses?: Record<string, string> } }) =>
  claim.status?.allocatedResourceStatuses?.storage === "NodeResizePending";

describe("a claim that requests more", () => {
  test("is expanded with one call and three writes; the node has to do its part", async () => {
    await using world = await startWorld();
    await world.addClaim();
    await world.request("2Gi");
    const { status, metadata } = await world.until(pending);
    expect(status).toMatchObject({ capacity: { storage: "1Gi" }, allocatedResources: { storage: "2Gi" } });
    expect(status?.conditions).toMatchObject([
      { type: "Resizing", status: "True" },
      {
        type: "FileSystemResizePending",
        status: "True",
        message: "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
      },
    ]);
    expect(metadata?.annotations).toBeUndefined();
    const volume = await world.volume();
    expect(volume.spec?.capacity).toEqual({ storage: "2Gi" });
    expect(volume.metadata?.annotations).toEqual({ [note]: "1Gi" });
    await world.untilEvent("Normal FileSystemResizeRequired: Require file system resize of volume on node");
    await world.stop();
    expect(await world.events()).toEqual([
      "Normal Resizing: External resizer is resizing volume pv-data",
      "Normal FileSystemResizeRequired: Require file system resize of volume on node",
    ]);
    const calls = world.driver.calls("ControllerExpandVolume");
    expect(calls.map(({ request }) => request)).toEqual([
      {
        volumeId: "handle-data",
        capacityRange: { requiredBytes: 2n * Gi, limitBytes: 0n },
        secrets: {},
        volumeCapability: {
          accessMode: { mode: 1 },
          accessType: { $case: "mount", mount: { fsType: "ext4", mountFlags: [], volumeMountGroup: "" } },
        },
      },
    ]);
    expect([await world.requests(), await world.refused()]).toEqual([threeWrites, []]);
    const lines = world.log.lines.filter(({ message }) => message === "Resize volume succeeded");
    expect(lines).toMatchObject([{ fields: { claim: "default/data", volume: "pv-data", capacity: "2Gi", seconds: expect.any(Number) } }]);
  });

  test("is expanded at once where the node has nothing to do", async () => {
    await using world = await startWorld(alone);
    await world.addClaim();
    await world.request("2Gi");
    const { status, metadata } = await world.until((claim) => claim.status?.capacity?.storage === "2Gi");
    expect(status?.conditions ?? []).toEqual([]);
    expect(status?.allocatedResourceStatuses).toBeUndefined();
    expect(status?.allocatedResources).toEqual({ storage: "2Gi" });
    expect(metadata?.annotations).toEqual({ [notRequired]: "true" });
    const volume = await world.volume();
    expect(volume.spec?.capacity).toEqual({ storage: "2Gi" });
    expect(volume.metadata?.annotations).toBeUndefined();
    await world.untilEvent("Normal VolumeResizeSuccessful: Resize volume succeeded");
    await world.stop();
    expect(world.asked()).toEqual([2n * Gi]);
    expect([await world.requests(), await world.refused()]).toEqual([threeWrites, []]);
  });

  test("gets what the driver gives, which may be more", async () => {
    await using world = await startWorld({
      driver: { script: { ControllerExpandVolume: [step.reply({ capacityBytes: 3n * Gi, nodeExpansionRequired: false })] } },
    });
    await world.addClaim();
    await world.request("2500M");
    const { status } = await world.until((claim) => claim.status?.capacity?.storage === "3Gi");
    expect(status?.allocatedResources).toEqual({ storage: "2500M" });
    expect((await world.volume()).spec?.capacity).toEqual({ storage: "3Gi" });
  });

  test("and then still more while the node has its turn: the next size follows when the node is done", async () => {
    await using world = await startWorld();
    await world.addClaim();
    await world.request("2Gi");
    await world.until(pending);
    await world.request("3Gi");
    await world.witness();
    expect(world.asked()).toEqual([2n * Gi]);
    await nodeExpanded(world, "2Gi");
    await world.until((claim) => pending(claim) && claim.status?.allocatedResources?.storage === "3Gi");
    expect(world.asked()).toEqual([2n * Gi, 3n * Gi]);
    expect((await world.volume()).metadata?.annotations).toEqual({ [note]: "2Gi" });
  });

  test("and more again during the call: the next size follows at once", async () => {
    await using world = await startWorld({
      driver: { capabilities: expandingAlone, script: { ControllerExpandVolume: [step.waitFor("go")] } },
    });
    await world.addClaim();
    await world.request("2Gi");
    await world.driver.called("ControllerExpandVolume");
    await world.request("3Gi");
    world.driver.release("go");
    await world.until((claim) => claim.status?.capacity?.storage === "3Gi");
    expect(world.asked()).toEqual([2n * Gi, 3n * Gi]);
  });

  test("a claim and its volume that were there before the start", async () => {
    await using world = await startWorld({ stopped: true });
    await world.addClaim({ request: "2Gi" });
    await world.run();
    await world.until(pending);
  });

  test("the volume appears after the claim", async () => {
    await using world = await startWorld({ stopped: true });
    const { metadata } = await world.addClaim({ request: "2Gi", volume: { metadata: { name: "other" } } });
    await world.run();
    await world.witness();
    expect(world.asked()).toEqual([]);
    await world.addVolume({}, metadata?.uid ?? "");
    await world.until(pending);
  });
});

describe("the size of the file system is noted on the volume", () => {
  test("until the claim has it", async () => {
    await using world = await startWorld();
    await world.addClaim();
    await world.request("2Gi");
    await world.untilVolume(({ metadata }) => metadata?.annotations?.[note] === "1Gi");
    await world.until(pending);
    await nodeExpanded(world, "2Gi");
    await world.untilVolume(({ metadata }) => metadata?.annotations === undefined);
  });

  test("not with the gate off", async () => {
    await using world = await startWorld({ gatesOff: ["AnnotateFsResize"] });
    await world.addClaim();
    await world.request("2Gi");
    await world.until(pending);
    expect((await world.volume()).metadata?.annotations).toBeUndefined();
  });

  test("a note on the volume of another driver stays", async () => {
    await using world = await startWorld();
    const csi = { driver: "other.example.com", volumeHandle: "h" };
    await world.addClaim({ volume: { metadata: { annotations: { [note]: "512Mi" } }, spec: { csi } } });
    await world.request("2Gi");
    await world.witness();
    expect((await world.volume()).metadata?.annotations).toEqual({ [note]: "512Mi" });
    expect(world.asked()).toEqual([]);
  });
});

describe("nothing is done", () => {
  const csi = { driver: driverName, volumeHandle: "handle-data" };
  const ref = { kind: "PersistentVolumeClaim", apiVersion: "v1", name: "data" };
  test.each<[string, BoundClaim]>([
    ["as much is requested as there is", {}],
    [
      "the volume belongs to another claim of the name",
      { request: "2Gi", volume: { spec: { claimRef: { ...ref, namespace: "default", uid: "x" } } } },
    ],
    [
      "the volume belongs to a claim elsewhere",
      { request: "2Gi", volume: { spec: { claimRef: { ...ref, namespace: "else", uid: "x" } } } },
    ],
    ["the volume belongs to no claim", { request: "2Gi", volume: { spec: { claimRef: undefined as never } } }],
    ["the volume is of another driver", { request: "2Gi", volume: { spec: { csi: { ...csi, driver: "other.example.com" } } } }],
    ["the claim is not bound", { request: "2Gi", status: { phase: "Pending" } }],
    ["the claim has no volume", { request: "2Gi", spec: { volumeName: "" } }],
  ])("%s", async (_what, parts) => {
    await using world = await startWorld();
    await world.addClaim(parts);
    await world.witness();
    await world.stop();
    expect((await world.requests()).filter((request) => request.endsWith("data"))).toEqual([]);
    expect(world.asked()).toEqual([]);
  });
});

describe("recovery", () => {
  type Row = [string, BoundClaim, WorldOptions, { status: ResizeStatus | undefined; allocated: string; asked: bigint[] }];
  const at = (sizes: [string, string, string?], volume: string, status?: ResizeStatus): BoundClaim => ({
    ...{ request: sizes[0], capacity: sizes[1], volume: { spec: { capacity: { storage: volume } } } },
    status: {
      ...(sizes[2] && { allocatedResources: { storage: sizes[2] } }),
      ...(status && { allocatedResourceStatuses: { storage: status } }),
    },
  });

  test.each<Row>([
    ["19", at(["2G", "1G"], "1Gi"), {}, { status: "NodeResizePending", allocated: "2G", asked: [2n * G] }],
    [
      "21",
      at(["5G", "3G", "10G"], "3Gi", "ControllerResizeInfeasible"),
      {},
      { status: "NodeResizePending", allocated: "5G", asked: [5n * G] },
    ],
    [
      "25",
      at(["5G", "3G", "10G"], "3Gi", "ControllerResizeInProgress"),
      {},
      { status: "NodeResizePending", allocated: "10G", asked: [10n * G] },
    ],
    ["26", at(["5G", "3G", "10G"], "10Gi", "NodeResizeInfeasible"), nodeOnly, { status: "NodeResizePending", allocated: "5G", asked: [] }],
    ["28", at(["2G", "1G"], "1Gi"), alone, { status: undefined, allocated: "2G", asked: [2n * G] }],
    ["29", at(["2G", "1G", "2G"], "2Gi", "NodeResizeInfeasible"), {}, { status: "NodeResizePending", allocated: "2G", asked: [2n * G] }],
  ])("row %s", async (_row, parts, options, { status, allocated, asked }) => {
    await using world = await startWorld(options);
    await world.addClaim(parts);
    const done = await world.until(
      (claim) => claim.status?.allocatedResourceStatuses?.storage === status && claim.status?.allocatedResources?.storage === allocated,
    );
    expect(world.asked()).toEqual(asked);
    if (status === undefined) expect(done.metadata?.annotations).toEqual({ [notRequired]: "true" });
  });

  test.each<[string, BoundClaim]>([
    ["27", at(["2G", "1G", "2G"], "2G", "NodeResizePending")],
    ["30", at(["10G", "1G", "3G"], "3Gi", "NodeResizePending")],
    ["31", at(["10G", "1G", "3G"], "3Gi", "NodeResizeInProgress")],
  ])("row %s: kubelet's turn", async (_row, parts) => {
    await using world = await startWorld();
    const { status } = await world.addClaim(parts);
    await world.witness();
    expect((await world.claim()).status).toEqual(status as never);
    expect(world.asked()).toEqual([]);
  });

  test("a claim that is seen bound before its volume is", async () => {
    await using world = await startWorld();
    const volume = { spec: { capacity: { storage: "2Gi" }, claimRef: { namespace: "default", name: "data" } } };
    await world.addClaim({ request: "2Gi", volume });
    await world.witness();
    const { metadata } = await world.claim();
    const { uid } = metadata ?? {};
    await world.admin.patch(PersistentVolume, { name: "pv-data" }, mergePatch({ spec: { claimRef: { uid } } }));
    await world.until(pending);
  });

  test("an old kubelet has left the status of a finished expansion: it is cleared, and the next size follows", async () => {
    await using world = await startWorld();
    world.driver.addVolume({ id: "handle-data", capacityBytes: 2n * Gi });
    const status = {
      allocatedResources: { storage: "2Gi" },
      allocatedResourceStatuses: { storage: "ControllerResizeInProgress", "example.com/iops": "NodeResizePending" },
    } as const;
    await world.addClaim({ capacity: "2Gi", request: "3Gi", status });
    const { status: after } = await world.until(pending);
    expect(after?.allocatedResources).toEqual({ storage: "3Gi" });
    expect(after?.allocatedResourceStatuses?.["example.com/iops"]).toBe("NodeResizePending");
    expect(world.asked()).toEqual([2n * Gi, 3n * Gi]);
  });

  test("a volume that an administrator has made larger: the node is asked, once", async () => {
    await using world = await startWorld();
    const volume = { spec: { capacity: { storage: "2Gi" } } };
    world.driver.addVolume({ id: "handle-data", capacityBytes: 2n * Gi });
    await world.addClaim({ request: "2Gi", status: { allocatedResources: { storage: "1Gi" } }, volume });
    await world.until(pending);
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
    const { status, metadata } = await world.until(pending);
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
    expect([await world.requests(), await world.refused()]).toEqual([threeWrites, []]);
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

describe("the call", () => {
  test("has the secret that the volume names, read for each attempt", async () => {
    await using world = await startWorld({ driver: { script: { ControllerExpandVolume: [step.fail("Internal")] } } });
    const secret = { name: "key", namespace: "default" };
    await world.create(Secret, { metadata: secret, data: { token: Buffer.from("s3cret").toString("base64") } });
    const csi = { driver: driverName, volumeHandle: "handle-data", controllerExpandSecretRef: secret };
    await world.addClaim({ request: "2Gi", volume: { spec: { csi } } });
    await world.until(pending);
    expect(world.driver.calls("ControllerExpandVolume").map(({ request }) => request.secrets)).toEqual([
      { token: "s3cret" },
      { token: "s3cret" },
    ]);
    expect((await world.requests()).filter((request) => request === "get secrets key")).toHaveLength(2);
    expect(JSON.stringify(world.log.lines)).not.toContain("s3cret");
  });

  test.each<[string, object, string]>([
    ["is not there", {}, 'error getting secret key in namespace default: secrets "key" not found'],
    [
      "is no text",
      { token: Buffer.from([0xff]).toString("base64") },
      'error getting secret key in namespace default: the value of "token" is not valid UTF-8',
    ],
  ])("is not made with a secret that %s", async (_what, data, problem) => {
    await using world = await startWorld();
    const secret = { name: "key", namespace: "default" };
    if (Object.keys(data).length > 0) await world.create(Secret, { metadata: secret, data: data as Record<string, string> });
    const csi = { driver: driverName, volumeHandle: "handle-data", controllerExpandSecretRef: secret };
    await world.addClaim({ request: "2Gi", volume: { spec: { csi } } });
    await world.untilEvent(`Warning VolumeResizeFailed: resize volume "pv-data" by resizer "csi.example.com" failed: ${problem}`);
    expect(world.asked()).toEqual([]);
    const { status } = await world.claim();
    expect(status?.conditions?.map(({ type }) => type)).toEqual(["Resizing"]);
    expect(status?.allocatedResourceStatuses).toEqual({ storage: "ControllerResizeInProgress" });
  });

  test("is for a block device where the volume is one", async () => {
    await using world = await startWorld();
    await world.addClaim({ request: "2Gi", spec: { volumeMode: "Block" }, volume: { spec: { volumeMode: "Block" } } });
    await world.until(pending);
    const [call] = world.driver.calls("ControllerExpandVolume");
    expect(call?.request.volumeCapability?.accessType).toEqual({ $case: "block", block: {} });
  });

  test("is made for a volume of the in-tree plugin that the driver replaced", async () => {
    const name = "ebs.csi.aws.com";
    await using world = await startWorld({ driver: { name, volumes: [{ id: "vol-1" }] } });
    await world.addClaim({
      request: "2Gi",
      metadata: { annotations: { "volume.kubernetes.io/storage-resizer": name } },
      volume: { spec: { csi: undefined as never, awsElasticBlockStore: { volumeID: "aws://zone/vol-1" } } },
    });
    await world.until(pending);
    expect(world.driver.calls("ControllerExpandVolume").map(({ request }) => request.volumeId)).toEqual(["vol-1"]);
    expect(await world.metrics()).toMatch(/csi_sidecar_operations_seconds_count\{[^}]*ControllerExpandVolume[^}]*migrated="true"\} 1/);
  });
});

/** What kubelet writes when it has expanded the file system. */
async function nodeExpanded(world: ResizerWorld, storage: string): Promise<void> {
  await world.patchStatus({ capacity: { storage }, conditions: null, allocatedResourceStatuses: null });
}
