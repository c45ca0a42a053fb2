import { describe, expect, test } from "bun:test";
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
  prepared,
  volume,
} from "../testing/objects.ts";
import { type DetachPlan, type DetachState, planDetach } from "./plan-detach.ts";

interface Given {
  attachment?: ReturnType<typeof attachment>;
  attached?: boolean;
  detachError?: { message: string };
  volume?: ReturnType<typeof volume> | undefined;
  node?: ReturnType<typeof csiNode> | undefined;
  state?: Partial<DetachState>;
}

function plan(given: Given): DetachPlan {
  const va = given.attachment ?? prepared({}, deleted);
  const pv = "volume" in given ? given.volume : volume();
  const node = "node" in given ? given.node : csiNode();
  const status = { attached: given.attached ?? true, ...(given.detachError && { detachError: given.detachError }) };
  return planDetach(
    { attachment: cachedAttachment({ ...va, status }), volume: pv && cachedVolume(pv), node: node && cachedNode(node) },
    driverInfo,
    { forced: false, detached: false, ...given.state },
  );
}

const report = (message: string) => ({ step: "report", message });
const call = (volumeId = "handle1", nodeId = "nodeID1") => ({
  step: "unpublish",
  request: { volumeId, nodeId },
  secret: undefined,
  migrated: false,
});
const released = attachment({ metadata: { ...deleted, finalizers: [foreign] } });
const withSource = (source: object) => prepared({ source }, deleted);

describe("planDetach", () => {
  test.each<[string, Given, object]>([
    ["another driver's", { attachment: prepared({ attacher: "other.example.com" }, deleted) }, { step: "none", because: "not ours" }],
    ["not deleted", { attachment: prepared() }, { step: "none", because: "not deleted" }],
    ["our finalizer is gone", { attachment: released }, { step: "none", because: "detached" }],
    ["attached", {}, call()],
    ["never attached for certain: an attach may have timed out", { attached: false }, call()],
    ["an inline volume", { attachment: withSource({ inlineVolumeSpec: inlineSpec() }), volume: undefined }, call()],
    ["a volume that is being deleted", { volume: volume({ metadata: deleted }) }, call()],
    ["the volume is gone", { volume: undefined }, report('persistentvolume "pv1" not found')],
    [
      "no volume named",
      { attachment: withSource({}) },
      report("neither InlineCSIVolumeSource nor PersistentVolumeName specified in VA source"),
    ],
    [
      "two volumes named",
      { attachment: withSource({ persistentVolumeName: "pv1", inlineVolumeSpec: inlineSpec() }) },
      report("both InlineCSIVolumeSource and PersistentVolumeName specified in VA source"),
    ],
    ["the node is gone: its id was written down", { node: undefined }, call()],
    ["the node lost the driver: its id was written down", { node: csiNode("node1", "x", "other.example.com") }, call()],
    ["the node has another id now: it is taken at its word", { node: csiNode("node1", "nodeID2") }, call("handle1", "nodeID2")],
    [
      "the node is gone and its id was never written down",
      { attachment: attachment({ metadata: { ...deleted, finalizers: [finalizer] } }), node: undefined },
      report('csinode.storage.k8s.io "node1" not found'),
    ],
    [
      "the node lost the driver and its id was never written down",
      { attachment: attachment({ metadata: { ...deleted, finalizers: [finalizer] } }), node: csiNode("node1", "x", "other.example.com") },
      report(`CSINode node1 does not contain driver ${driverName}`),
    ],
    [
      "a migrated disk",
      { volume: volume({ spec: { csi: undefined, gcePersistentDisk: { pdName: "testpd" } } }) },
      { ...call("projects/UNSPECIFIED/zones/UNSPECIFIED/disks/testpd"), migrated: true },
    ],
    [
      "a volume with a secret",
      { volume: volume({ csi: { controllerPublishSecretRef: { name: "s", namespace: "ns" } } }) },
      { ...call(), secret: { name: "s", namespace: "ns" } },
    ],
    ["released, but the driver still lists it", { attachment: released, attached: false, state: { forced: true } }, call()],
    ["detached here, finalizer not removed", { state: { detached: true } }, { step: "release" }],
    ["detached here, but the driver still lists it", { state: { detached: true, forced: true } }, call()],
    ["detached here, status not written", { attachment: released, state: { detached: true } }, { step: "mark detached" }],
    [
      "detached here, an error is left",
      { attachment: released, attached: false, detachError: { message: "x" }, state: { detached: true } },
      { step: "mark detached" },
    ],
    [
      "detached here, status written",
      { attachment: released, attached: false, state: { detached: true } },
      { step: "none", because: "detached" },
    ],
  ])("%s", (_what, given, expected) => {
    expect(plan(given)).toEqual(expected as DetachPlan);
  });
});
