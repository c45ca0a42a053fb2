import { describe, expect, test } from "bun:test";
import type { Claim, ClusterPod, StorageCapacity } from "../fields.ts";
import { claim, driver, node, pod, storageClass, volume } from "../testing/objects.ts";
import { planPod, type SchedulingListers, type SchedulingPlan } from "./plan-pod.ts";

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

interface Given extends Partial<Omit<SchedulingListers, "failed">> {
  readonly claim?: Claim;
  readonly failed?: readonly string[];
}
const listers = ({ claim: only, failed = [], ...rest }: Given): SchedulingListers => ({
  claimNamed: () => only,
  volumeNamed: () => undefined,
  classNamed: () => late,
  candidates: () => [],
  driverNamed: () => undefined,
  nodesOfDriver: () => new Set(),
  capacities: () => [],
  nodes: () => zones,
  claimHolders: () => [],
  volumeLimit: () => undefined,
  volumesOn: () => new Set(),
  podsOn: () => 0,
  failed: new Set(failed),
  ...rest,
});

const app = pod(["data"]);
const available = (nodes: number, because: string) => `0/${nodes} nodes are available: ${because}.`;
const refused = (nodes: number, because: string, hint = "Preemption is not helpful for scheduling"): SchedulingPlan => ({
  step: "wait",
  message: `${available(nodes, because)} preemption: ${available(nodes, `${nodes} ${hint}`)}`,
});
const noVictims = "No preemption victims found for incoming pod";
const withEphemeral = pod([], { spec: { volumes: [{ name: "data", ephemeral: {} }] } });
const tainted = (effect: "NoSchedule" | "NoExecute" | "PreferNoSchedule") => () => [
  node("n1", {}, { spec: { taints: [{ key: "disk", value: "old", effect }] } }),
];
const tolerating = (toleration: object) => pod([], { spec: { tolerations: [toleration] } });
const affine = (zone: string) => {
  const nodeSelectorTerms = [{ matchExpressions: [{ key: "zone", operator: "In" as const, values: [zone] }] }];
  return pod([], {
    spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } },
  });
};
const alone = claim({
  metadata: { annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
  spec: { volumeName: "pv-1", accessModes: ["ReadWriteOncePod"] },
});
const holder = pod(["data"], { metadata: { name: "first", uid: "first-uid" }, spec: { nodeName: "n1" } });
const reserve = (nodeName: string, of: Claim = claim()): SchedulingPlan => ({ step: "reserve", node: nodeName, bind: [], provision: [of] });

const rows: readonly (readonly [name: string, pod: ClusterPod, given: Given, plan: SchedulingPlan])[] = [
  ["no volumes: the first node", pod([]), {}, { step: "assign", node: "n1" }],
  ["the emptier node", pod([]), { podsOn: (name) => (name === "n1" ? 2 : 1) }, { step: "assign", node: "n2" }],
  ["the pod's node selector", pod([], { spec: { nodeSelector: { zone: "b" } } }), {}, { step: "assign", node: "n2" }],
  ["cordoned", pod([]), { nodes: () => [node("n1", {}, { spec: { unschedulable: true } })] }, refused(1, "1 node(s) were unschedulable")],
  ["no nodes", pod([]), { nodes: () => [] }, { step: "wait", message: "no nodes available to schedule pods" }],
  [
    "every node for another reason",
    pod([], { spec: { nodeSelector: { zone: "c" } } }),
    { nodes: () => [...zones, node("n3", { zone: "c" }, { spec: { unschedulable: true } })] },
    refused(3, "1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector"),
  ],
  ["tainted", pod([]), { nodes: tainted("NoSchedule") }, refused(1, "1 node(s) had untolerated taint(s)")],
  ["tainted for good", pod([]), { nodes: tainted("NoExecute") }, refused(1, "1 node(s) had untolerated taint(s)")],
  ["rather not there", pod([]), { nodes: tainted("PreferNoSchedule") }, { step: "assign", node: "n1" }],
  ["tolerated by value", tolerating({ key: "disk", value: "old" }), { nodes: tainted("NoSchedule") }, { step: "assign", node: "n1" }],
  ["tolerated whatever it is", tolerating({ operator: "Exists" }), { nodes: tainted("NoExecute") }, { step: "assign", node: "n1" }],
  [
    "another value is tolerated",
    tolerating({ key: "disk", value: "new" }),
    { nodes: tainted("NoSchedule") },
    refused(1, "1 node(s) had untolerated taint(s)"),
  ],
  [
    "another effect is tolerated",
    tolerating({ key: "disk", operator: "Exists", effect: "NoExecute" }),
    { nodes: tainted("NoSchedule") },
    refused(1, "1 node(s) had untolerated taint(s)"),
  ],
  [
    "the taint that the server gives to new nodes",
    pod([]),
    { nodes: () => [node("n1", {}, { spec: { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] } })] },
    { step: "assign", node: "n1" },
  ],
  [
    "cordoned, and tolerated",
    tolerating({ key: "node.kubernetes.io/unschedulable", operator: "Exists" }),
    { nodes: () => [node("n1", {}, { spec: { unschedulable: true } })] },
    { step: "assign", node: "n1" },
  ],
  ["the pod's node affinity", affine("b"), {}, { step: "assign", node: "n2" }],
  ["no node of its affinity", affine("c"), {}, refused(2, "2 node(s) didn't match Pod's node affinity/selector")],
  ["held back by a gate", pod([], { spec: { schedulingGates: [{ name: "example.com/later" }] } }), {}, { step: "none" }],
  [
    "a claim for one pod alone, which has it",
    app,
    { claim: alone, volumeNamed: () => volume(), claimHolders: () => [holder] },
    refused(
      2,
      "2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
      noVictims,
    ),
  ],
  [
    "a claim for one pod alone, which is done",
    app,
    { claim: alone, volumeNamed: () => volume(), claimHolders: () => [{ ...holder, status: { phase: "Succeeded" } }] },
    { step: "assign", node: "n1" },
  ],
  [
    "as many volumes as the nodes take",
    app,
    { claim: bound(), volumeNamed: () => volume(), volumeLimit: () => 2, volumesOn: () => new Set(["a", "b"]) },
    refused(2, "2 node(s) exceed max volume count", noVictims),
  ],
  [
    "as many volumes as a node takes, this one among them",
    app,
    {
      ...{ claim: bound(), volumeNamed: () => volume(), volumeLimit: () => 2 },
      volumesOn: (name) => new Set(name === "n1" ? ["a", "b"] : ["a", "handle-1"]),
    },
    { step: "assign", node: "n2" },
  ],
  [
    "a volume to be made where there is a place for it",
    app,
    { claim: claim(), volumeLimit: (name) => (name === "n1" ? 0 : 1) },
    reserve("n2"),
  ],
  [
    "a volume in another zone",
    app,
    { claim: bound(), volumeNamed: () => inZone("c") },
    refused(2, "2 node(s) didn't match PersistentVolume's node affinity"),
  ],
  [
    "nowhere where the driver runs",
    app,
    { claim: bound(), volumeNamed: () => volume(), nodesOfDriver: () => new Set(["gone"]) },
    refused(2, "2 csi.example.com CSI driver is not installed on the node"),
  ],
  ["has a node", pod([], { spec: { nodeName: "n1" } }), {}, { step: "none" }],
  ["another scheduler's", pod([], { spec: { schedulerName: "other" } }), {}, { step: "none" }],
  [
    "the claim of an ephemeral volume is still to come",
    withEphemeral,
    {},
    refused(2, 'waiting for ephemeral volume controller to create the persistentvolumeclaim "app-data"'),
  ],
  [
    "somebody else's claim has the name of an ephemeral volume's",
    withEphemeral,
    { claim: claim() },
    refused(2, "PVC default/app-data was not created for pod default/app (pod is not owner)"),
  ],
  ["no such claim", app, {}, refused(2, 'persistentvolumeclaim "data" not found')],
  [
    "a claim that is not bound late",
    app,
    { claim: claim(), classNamed: () => storageClass() },
    refused(2, "pod has unbound immediate PersistentVolumeClaims"),
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
    refused(2, "2 node(s) did not have enough free storage"),
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
    refused(2, "2 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"),
  ],
];

describe("planPod", () => {
  test.each(rows)("%s", (_name, given, about, plan) => expect(planPod(given, listers(about))).toEqual(plan));

  test("where nothing can be provisioned, a volume that exists decides the node", () => {
    const handMade = storageClass({ volumeBindingMode: "WaitForFirstConsumer", provisioner: "kubernetes.io/no-provisioner" });
    const plan = planPod(app, listers({ claim: claim(), classNamed: () => handMade, candidates: () => [inZone("b")] }));
    expect(plan).toEqual({ step: "reserve", node: "n2", bind: [{ claim: claim(), volume: inZone("b") }], provision: [] });
  });
});
