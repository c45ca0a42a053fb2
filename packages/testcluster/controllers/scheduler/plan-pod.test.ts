import { describe, expect, test } from "bun:test";
import type { Claim, ClusterPod, StorageCapacity } from "../fields.ts";
import { claim, driver, node, pod, storageClass, volume } from "../testing/objects.ts";
import { planPod, type SchedulingPlan, type SchedulingWorld } from "./plan-pod.ts";

const late = storageClass({ volumeBindingMode: "WaitForFirstConsumer" });
const zones = [node("n1", { zone: "a" }), node("n2", { zone: "b" })];
const selected = (nodeName: string) => claim({ metadata: { annotations: { "volume.kubernetes.io/selected-node": nodeName } } });
const bound = (annotations: object = {}) =>
  claim({
    metadata: { annotations: { "pv.kubernetes.io/bind-completed": "yes", ...annotations } },
    spec: { volumeName: "pv-1" },
    status: { phase: "Bound" },
  });
const inZone = (zone: string) =>
  volume({
    spec: { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: [zone] }] }] } } },
  });
const capacity = (zone: string, size: string): StorageCapacity =>
  ({
    metadata: { name: zone, uid: zone, resourceVersion: "1" },
    storageClassName: "fast",
    capacity: size,
    nodeTopology: { matchLabels: { zone } },
  }) as StorageCapacity;

interface Given extends Partial<Omit<SchedulingWorld, "failed">> {
  readonly claim?: Claim;
  readonly failed?: readonly string[];
}
const world = ({ claim: only, failed = [], ...rest }: Given): SchedulingWorld => ({
  claimNamed: () => only,
  volumeNamed: () => undefined,
  classNamed: () => late,
  candidates: () => [],
  driverNamed: () => undefined,
  nodesOfDriver: () => new Set(),
  capacities: () => [],
  nodes: () => zones,
  podsOn: () => 0,
  failed: new Set(failed),
  ...rest,
});

const app = pod(["data"]);
const reserve = (nodeName: string, of: Claim = claim()): SchedulingPlan => ({ step: "reserve", node: nodeName, bind: [], provision: [of] });

const rows: readonly (readonly [name: string, pod: ClusterPod, given: Given, plan: SchedulingPlan])[] = [
  ["no volumes: the first node", pod([]), {}, { step: "assign", node: "n1" }],
  ["the emptier node", pod([]), { podsOn: (name) => (name === "n1" ? 2 : 1) }, { step: "assign", node: "n2" }],
  ["the pod's node selector", pod([], { spec: { nodeSelector: { zone: "b" } } }), {}, { step: "assign", node: "n2" }],
  [
    "cordoned",
    pod([]),
    { nodes: () => [node("n1", {}, { spec: { unschedulable: true } })] },
    { step: "wait", message: "0/1 nodes are available for the pod and its volumes." },
  ],
  ["has a node", pod([], { spec: { nodeName: "n1" } }), {}, { step: "none" }],
  ["another scheduler's", pod([], { spec: { schedulerName: "other" } }), {}, { step: "none" }],
  ["no such claim", app, {}, { step: "wait", message: 'persistentvolumeclaim "data" not found' }],
  [
    "a claim that is not bound late",
    app,
    { claim: claim(), classNamed: () => storageClass() },
    { step: "wait", message: "pod has unbound immediate PersistentVolumeClaims" },
  ],
  ["a claim that is bound late", app, { claim: claim() }, reserve("n1")],
  ["where the driver runs", app, { claim: claim(), nodesOfDriver: () => new Set(["n2"]) }, reserve("n2")],
  [
    "where the class allows",
    app,
    { claim: claim(), classNamed: () => ({ ...late, allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["b"] }] }] }) },
    reserve("n2"),
  ],
  [
    "where there is room",
    app,
    {
      claim: claim(),
      driverNamed: () => driver({ storageCapacity: true }),
      capacities: () => [capacity("a", "1Mi"), capacity("b", "2Gi")],
    },
    reserve("n2"),
  ],
  [
    "no room anywhere",
    app,
    { claim: claim(), driverNamed: () => driver({ storageCapacity: true }) },
    { step: "wait", message: "0/2 nodes are available for the pod and its volumes." },
  ],
  ["provisioning is under way", app, { claim: selected("n2") }, { step: "wait" }],
  ["failed on the first node: another one", app, { claim: claim(), failed: ["n1"] }, reserve("n2")],
  ["failed everywhere: try again", app, { claim: claim(), failed: ["n1", "n2"] }, reserve("n1")],
  ["bound: where the volume is", app, { claim: bound(), volumeNamed: () => inZone("b") }, { step: "assign", node: "n2" }],
  [
    "bound: the node it was made for",
    app,
    { claim: bound({ "volume.kubernetes.io/selected-node": "n2" }), volumeNamed: () => volume() },
    { step: "assign", node: "n2" },
  ],
  [
    "bound to a volume that is gone",
    app,
    { claim: bound() },
    { step: "wait", message: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)" },
  ],
];

describe("planPod", () => {
  test.each(rows)("%s", (_name, given, about, plan) => expect(planPod(given, world(about))).toEqual(plan));

  test("where nothing can be provisioned, a volume that exists decides the node", () => {
    const handMade = storageClass({ volumeBindingMode: "WaitForFirstConsumer", provisioner: "kubernetes.io/no-provisioner" });
    const plan = planPod(app, world({ claim: claim(), classNamed: () => handMade, candidates: () => [inZone("b")] }));
    expect(plan).toEqual({ step: "reserve", node: "n2", bind: [{ claim: claim(), volume: inZone("b") }], provision: [] });
  });
});
