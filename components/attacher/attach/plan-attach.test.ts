import { describe, expect, test } from "bun:test";
import { AccessMode } from "@csi-sidecars/csi";
import type { DriverInfo } from "../driver-capabilities.ts";
import {
  attachment,
  cachedAttachment,
  cachedNode,
  cachedVolume,
  csiNode,
  deleted,
  driverInfo,
  driverName,
  finalizer,
  foreign,
  inlineSpec,
  nodeIdAnnotation,
  prepared,
  volume,
} from "../testing/objects.ts";
import { type AttachPlan, planAttach } from "./plan-attach.ts";

const heldVolume = (parts: Parameters<typeof volume>[0] = {}) =>
  volume({ ...parts, metadata: { finalizers: [finalizer], ...parts.metadata } });
const gcePd = (parts: { labels?: Record<string, string> } = {}) =>
  volume({ metadata: { finalizers: [finalizer], ...parts }, spec: { csi: undefined, gcePersistentDisk: { pdName: "testpd" } } });
const inline = (csi = {}) => attachment({ spec: { source: { inlineVolumeSpec: inlineSpec(csi) } } });

interface Given {
  attachment?: ReturnType<typeof attachment>;
  status?: object;
  volume?: ReturnType<typeof volume> | undefined;
  node?: ReturnType<typeof csiNode> | undefined;
  driver?: Partial<DriverInfo>;
  forced?: boolean;
}

function plan(given: Given): AttachPlan {
  const va = { ...(given.attachment ?? attachment()), ...(given.status && { status: { attached: false, ...given.status } }) };
  const pv = "volume" in given ? given.volume : heldVolume();
  const node = "node" in given ? given.node : csiNode();
  return planAttach(
    { attachment: cachedAttachment(va), volume: pv && cachedVolume(pv), node: node && cachedNode(node) },
    { ...driverInfo, ...given.driver },
    given.forced,
  );
}

const report = (message: string) => ({ step: "report", message });

describe("nothing to call", () => {
  test.each<[string, Given, object]>([
    ["another driver's", { attachment: attachment({ spec: { attacher: "other.example.com" } }) }, { step: "none", because: "not ours" }],
    ["deleted", { attachment: attachment({ metadata: deleted }) }, { step: "none", because: "deleting" }],
    ["attached already", { status: { attached: true } }, { step: "none", because: "attached" }],
    ["unknown volume", { volume: undefined }, report('persistentvolume "pv1" not found')],
    ["volume being deleted", { volume: volume({ metadata: deleted }) }, report('PersistentVolume "pv1" is marked for deletion')],
    [
      "volume being deleted that has our finalizer",
      { volume: heldVolume({ metadata: { finalizers: [finalizer], ...deleted } }) },
      report('PersistentVolume "pv1" is marked for deletion'),
    ],
    [
      "no volume named",
      { attachment: attachment({ spec: { source: {} } }) },
      report("neither InlineCSIVolumeSource nor PersistentVolumeName specified in VA source"),
    ],
    [
      "two volumes named",
      { attachment: attachment({ spec: { source: { persistentVolumeName: "pv1", inlineVolumeSpec: inlineSpec() } } }), volume: volume() },
      report("both InlineCSIVolumeSource and PersistentVolumeName specified in VA source"),
    ],
    [
      "inline volume of another kind",
      { attachment: attachment({ spec: { source: { inlineVolumeSpec: { accessModes: ["ReadWriteOnce"] } } } }), volume: undefined },
      report("inline volume spec contains nil CSI source"),
    ],
    [
      "volume of a plugin that was never replaced",
      { volume: heldVolume({ spec: { csi: undefined, nfs: { path: "/", server: "s" } } }) },
      report("pv spec contained non-csi source that was not migrated"),
    ],
    [
      "volume that cannot be translated",
      { volume: heldVolume({ spec: { csi: undefined, azureDisk: { diskName: "d", diskURI: "u", kind: "Shared" } } }) },
      report("failed to translate in tree pv to CSI: kind(Shared) is not supported in csi migration"),
    ],
    [
      "access modes that exclude each other",
      { volume: heldVolume({ spec: { accessModes: ["ReadOnlyMany", "ReadWriteOnce"] } }) },
      report("CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume"),
    ],
    ["no access modes", { volume: heldVolume({ spec: { accessModes: [] } }) }, report("unsupported AccessMode combination: []")],
    ["unknown node", { node: undefined }, report('csinode.storage.k8s.io "node1" not found')],
    [
      "unknown node, although it was known once",
      { attachment: prepared(), node: undefined },
      report('csinode.storage.k8s.io "node1" not found'),
    ],
    [
      "node without the driver",
      { node: csiNode("node1", "nodeID1", "other.example.com") },
      report(`CSINode node1 does not contain driver ${driverName}`),
    ],
  ])("%s", (_what, given, expected) => {
    expect(plan(given)).toEqual(expected as AttachPlan);
  });
});

describe("the volume's finalizer comes first", () => {
  test.each<[string, string[] | undefined, string[]]>([
    ["no finalizers", undefined, [finalizer]],
    ["empty list", [], [finalizer]],
    ["others", [foreign, "example.com/b"], [foreign, "example.com/b", finalizer]],
  ])("%s", (_what, finalizers, order) => {
    const { step, patch } = plan({ volume: volume({ metadata: { finalizers } }), node: undefined }) as Extract<
      AttachPlan,
      { step: "add volume finalizer" }
    >;
    expect(step).toBe("add volume finalizer");
    expect(patch).toEqual({
      type: "strategic",
      body: { metadata: { uid: "uid-of-pv1", finalizers: [finalizer], "$setElementOrder/finalizers": order } },
    });
  });
});

describe("what the driver is asked", () => {
  const mount = (fsType = "ext4", mountFlags: string[] = []) => ({ $case: "mount", mount: { fsType, mountFlags, volumeMountGroup: "" } });
  const usual = {
    volumeId: "handle1",
    nodeId: "nodeID1",
    volumeCapability: { accessMode: { mode: AccessMode.MULTI_NODE_MULTI_WRITER }, accessType: mount() },
    readonly: false,
    volumeContext: {},
  };
  test.each<[string, Given, object]>([
    ["a volume", {}, usual],
    ["an inline volume", { attachment: inline(), volume: undefined }, usual],
    ["an inline volume, even if a volume without name is there", { attachment: inline() }, usual],
    ["a read-only volume", { volume: heldVolume({ csi: { readOnly: true } }) }, { ...usual, readonly: true }],
    ["a read-only inline volume", { attachment: inline({ readOnly: true }), volume: undefined }, { ...usual, readonly: true }],
    [
      "a read-only volume of a driver without PUBLISH_READONLY",
      { volume: heldVolume({ csi: { readOnly: true } }), driver: { publishReadonly: false } },
      usual,
    ],
    [
      "a volume with attributes",
      { volume: heldVolume({ csi: { volumeAttributes: { a: "1" } } }) },
      { ...usual, volumeContext: { a: "1" } },
    ],
    ["an inline volume with attributes", { attachment: inline({ volumeAttributes: { a: "1" } }) }, { ...usual, volumeContext: { a: "1" } }],
    [
      "a file system and mount options",
      {
        volume: heldVolume({
          csi: { fsType: "ext3" },
          spec: { mountOptions: ["ro", "noatime"], csi: { driver: driverName, volumeHandle: "handle1", fsType: "ext3" } },
        }),
      },
      { ...usual, volumeCapability: { ...usual.volumeCapability, accessType: mount("ext3", ["ro", "noatime"]) } },
    ],
    [
      "a block volume",
      { volume: heldVolume({ spec: { volumeMode: "Block" } }) },
      { ...usual, volumeCapability: { ...usual.volumeCapability, accessType: { $case: "block", block: {} } } },
    ],
    [
      "ReadWriteOncePod with SINGLE_NODE_MULTI_WRITER",
      { volume: heldVolume({ spec: { accessModes: ["ReadWriteOncePod"] } }), driver: { singleNodeMultiWriter: true } },
      { ...usual, volumeCapability: { accessType: mount(), accessMode: { mode: AccessMode.SINGLE_NODE_SINGLE_WRITER } } },
    ],
    [
      "a migrated disk",
      { volume: gcePd({ labels: { "topology.kubernetes.io/zone": "testZone" } }) },
      {
        ...usual,
        volumeId: "projects/UNSPECIFIED/zones/testZone/disks/testpd",
        volumeContext: { partition: "" },
        volumeCapability: { accessType: mount(), accessMode: { mode: AccessMode.SINGLE_NODE_WRITER } },
      },
    ],
    ["a lost volume that the driver no longer lists", { status: { attached: true }, forced: true }, usual],
  ])("%s", (_what, given, request) => {
    const made = plan(given);
    expect(made).toMatchObject({ step: "publish" });
    expect((made as { request: object }).request).toEqual(request);
  });

  test("a migrated disk is measured as such, an inline one is not", () => {
    expect([plan({ volume: gcePd() }), plan({ attachment: inline() })]).toMatchObject([{ migrated: true }, { migrated: false }]);
  });

  test("a secret is named, not read", () => {
    const csi = { controllerPublishSecretRef: { name: "s", namespace: "ns" } };
    expect(plan({ volume: heldVolume({ csi }) })).toMatchObject({ secret: { name: "s", namespace: "ns" } });
    expect(plan({})).toMatchObject({ secret: undefined });
  });
});

describe("what must be stored before the call", () => {
  const fin = { finalizers: [finalizer], "$setElementOrder/finalizers": [finalizer] };
  const id = (nodeId: string) => ({ annotations: { [nodeIdAnnotation]: nodeId } });
  test.each<[string, Given, object | undefined]>([
    ["finalizer and node id", {}, { ...fin, ...id("nodeID1") }],
    ["nothing, if both are there", { attachment: prepared() }, undefined],
    ["the node id, if the node has another one now", { attachment: prepared(), node: csiNode("node1", "nodeID2") }, id("nodeID2")],
    ["the node id, if it was lost", { attachment: attachment({ metadata: { finalizers: [finalizer] } }) }, id("nodeID1")],
    ["the finalizer, if it was lost", { attachment: prepared({}, { finalizers: undefined }) }, fin],
    [
      "the finalizer behind those of others",
      { attachment: prepared({}, { finalizers: [foreign] }) },
      { finalizers: [finalizer], "$setElementOrder/finalizers": [foreign, finalizer] },
    ],
  ])("%s", (_what, given, metadata) => {
    const { prepare } = plan(given) as Extract<AttachPlan, { step: "publish" }>;
    expect(prepare).toEqual(metadata && { type: "strategic", body: { metadata: { uid: "uid-of-va", ...metadata } } });
  });
});
