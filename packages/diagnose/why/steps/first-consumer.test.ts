import { describe, expect, test } from "bun:test";
import { found, missing, unreadable } from "../../access/read-cluster.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { grpc, table } from "../testing/claim-cases.ts";
import { ago, asked, claim, driver, event, late, observedClaim, observedNode, onNode, pod, storageClass } from "../testing/objects.ts";
import { explainClaim } from "./claim.ts";

describe("WaitForFirstConsumer", () => {
  const unschedulable = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message: "0/3 nodes: too little memory",
    lastTransitionTime: ago(4),
  };
  const withoutVolume = { ...unschedulable, message: "0/3 nodes: 3 node(s) didn't find available persistent volumes to bind." };
  const onlyIn = (zone: string, provisioner = driver) =>
    storageClass({ ...late, provisioner, allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: [zone] }] }] });
  const gated = { type: "PodScheduled", status: "False", reason: "SchedulingGated" };
  const waits = (more: Partial<ObservedClaim>, annotations = {}) =>
    observedClaim(claim({}, {}, { annotations }), { storageClass: found(late), ...more });
  table([
    [
      "no pod",
      waits({ pods: found([]) }),
      ["waiting", "no pod uses the claim, and its class creates volumes only when one does", "create a pod"],
    ],
    ["pods may not be read", waits({ pods: unreadable }), ["waiting", "the class waits until a pod that uses the claim is scheduled"]],
    [
      "the pod cannot be scheduled",
      waits({ pods: found([pod({}, { conditions: [unschedulable] })]) }),
      ["waiting", "pod default/app cannot be scheduled: 0/3 nodes: too little memory", "free resources"],
    ],
    [
      "the pod is gated",
      waits({ pods: found([pod({}, { conditions: [gated] })]) }),
      ["waiting", "pod default/app is held by its scheduling gates"],
    ],
    [
      "the scheduler has not seen the pod yet",
      waits({ pods: found([pod()]) }),
      ["waiting", "the scheduler has not selected a node for pod default/app yet"],
    ],
    [
      "the driver had no capacity on the selected node",
      waits({ pods: found([pod()]), events: [event("PersistentVolumeClaim", "ProvisioningFailed", grpc("ResourceExhausted"))] }),
      [
        "failed",
        `the volume could not be created for the selected node, and the scheduler has to select another one: the storage has no capacity left, or a quota is exceeded (ResourceExhausted)`,
        "add capacity",
      ],
    ],
    [
      "no node has capacity, as the driver reports it",
      waits({
        pods: found([pod({}, { conditions: [{ ...unschedulable, message: "0/3 nodes: 3 node(s) did not have enough free storage." }] })]),
      }),
      ["waiting", "pod default/app cannot be scheduled: the storage has too little capacity where the pod may run", "csistoragecapacities"],
    ],
    [
      "no node is in the topology of the class",
      waits({ storageClass: found(onlyIn("z9")), pods: found([pod({}, { conditions: [withoutVolume] })]) }),
      ["waiting", "pod default/app cannot be scheduled: class fast allows volumes only on nodes where zone is z9", "allowedTopologies"],
    ],
    [
      "no volume exists for a class without provisioner",
      waits({
        storageClass: found(onlyIn("z9", "kubernetes.io/no-provisioner")),
        pods: found([pod({}, { conditions: [withoutVolume] })]),
      }),
      ["waiting", "pod default/app cannot be scheduled: no existing volume fits its claims", "create a PersistentVolume"],
    ],
    [
      "the pod goes past the scheduler",
      waits({ pods: found([pod({ nodeName: "n1" })]) }),
      ["failed", "pod default/app sets spec.nodeName, so the scheduler never selects a node for the claim", "nodeSelector"],
    ],
    [
      "the node is gone",
      waits({ pods: found([pod()]), selectedNode: observedNode({ node: missing, csiNode: missing }) }, onNode),
      ["failed", "the selected node n1 does not exist any more", "delete the pod"],
    ],
    [
      "the selection was removed, and an empty annotation is left",
      waits({ pods: found([]), selectedNode: undefined }, { ...asked, "volume.kubernetes.io/selected-node": "" }),
      ["waiting", "no pod uses the claim, and its class creates volumes only when one does"],
    ],
    [
      "the node lacks the driver",
      waits(
        { pods: found([pod()]), selectedNode: observedNode({ csiNode: found({ metadata: { name: "n1" }, spec: { drivers: [] } }) }) },
        onNode,
      ),
      ["waiting", `driver ${driver} is not registered on the selected node n1`, "node pod runs on n1"],
    ],
    [
      "the node is fine: the provisioner is next",
      waits({ pods: found([pod()]), selectedNode: observedNode() }, onNode),
      ["waiting", `${driver} has not reported anything about the claim`],
    ],
  ]);

  test("says since when, with the object that proves it", () => {
    const { steps } = explainClaim(waits({ pods: found([pod({}, { conditions: [unschedulable] })]) }));
    expect(steps.find(({ state }) => state === "waiting")?.evidence).toEqual([
      { object: "Pod default/app", field: "status.conditions[PodScheduled]", value: "0/3 nodes: too little memory", since: ago(4) },
    ]);
    expect(steps.map(({ state }) => state)).toEqual(["done", "waiting", "not yet", "not yet"]);
  });
});
