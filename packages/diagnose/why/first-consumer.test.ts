import { describe, expect, test } from "bun:test";
import { explain } from "./explain.ts";
import type { ClaimFacts } from "./facts.ts";
import { missing, seen, unseen } from "./look.ts";
import { grpc, table } from "./testing/claim-cases.ts";
import { ago, asked, claim, claimFacts, driver, event, late, nodeFacts, onNode, pod } from "./testing/objects.ts";

describe("late binding", () => {
  const unschedulable = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message: "0/3 nodes: too little memory",
    lastTransitionTime: ago(4),
  };
  const gated = { type: "PodScheduled", status: "False", reason: "SchedulingGated" };
  const waits = (more: Partial<ClaimFacts>, annotations = {}) =>
    claimFacts(claim({}, {}, { annotations }), { storageClass: seen(late), ...more });
  table([
    [
      "no pod",
      waits({ pods: seen([]) }),
      ["waiting", "no pod uses the claim, and its class makes volumes only when one does", "create a pod"],
    ],
    [
      "pods may not be read",
      waits({ pods: unseen }),
      ["waiting", "the class waits for the first pod that uses the claim, and for its node"],
    ],
    [
      "the pod fits on no node",
      waits({ pods: seen([pod({}, { conditions: [unschedulable] })]) }),
      ["waiting", "pod default/app fits on no node: 0/3 nodes: too little memory", "make room"],
    ],
    [
      "the pod is gated",
      waits({ pods: seen([pod({}, { conditions: [gated] })]) }),
      ["waiting", "pod default/app is held back by its scheduling gates"],
    ],
    [
      "the pod was not looked at yet",
      waits({ pods: seen([pod()]) }),
      ["waiting", "the scheduler has yet to choose a node for pod default/app"],
    ],
    [
      "the driver had no room on the chosen node",
      waits({ pods: seen([pod()]), events: [event("PersistentVolumeClaim", "ProvisioningFailed", grpc("ResourceExhausted"))] }),
      [
        "failed",
        `${driver} could not make the volume for the node that was chosen, and the scheduler has to choose another one: the storage has no room left, or a quota is used up (ResourceExhausted)`,
        "add capacity",
      ],
    ],
    [
      "no node has room, by what the driver published",
      waits({
        pods: seen([pod({}, { conditions: [{ ...unschedulable, message: "0/3 nodes: 3 node(s) did not have enough free storage." }] })]),
      }),
      ["waiting", "pod default/app fits on no node: 0/3 nodes: 3 node(s) did not have enough free storage.", "csistoragecapacities"],
    ],
    [
      "the pod goes past the scheduler",
      waits({ pods: seen([pod({ nodeName: "n1" })]) }),
      ["failed", "pod default/app names its node itself, so the scheduler never chooses one for the claim", "nodeSelector"],
    ],
    [
      "the node is gone",
      waits({ pods: seen([pod()]), selectedNode: nodeFacts({ node: missing, csiNode: missing }) }, onNode),
      ["failed", "node n1 was chosen for the claim, and does not exist any more", "delete the pod"],
    ],
    [
      "the choice was taken back, and an empty annotation is left",
      waits({ pods: seen([]), selectedNode: undefined }, { ...asked, "volume.kubernetes.io/selected-node": "" }),
      ["waiting", "no pod uses the claim, and its class makes volumes only when one does"],
    ],
    [
      "the node lacks the driver",
      waits(
        { pods: seen([pod()]), selectedNode: nodeFacts({ csiNode: seen({ metadata: { name: "n1" }, spec: { drivers: [] } }) }) },
        onNode,
      ),
      ["waiting", `node n1 was chosen for the claim, but driver ${driver} is not registered there`, "node pod runs on n1"],
    ],
    [
      "the node is fine: the provisioner is next",
      waits({ pods: seen([pod()]), selectedNode: nodeFacts() }, onNode),
      ["waiting", `${driver} has not said anything about the claim`],
    ],
  ]);

  test("says since when, with the object that proves it", () => {
    const { steps } = explain(waits({ pods: seen([pod({}, { conditions: [unschedulable] })]) }));
    expect(steps.find(({ state }) => state === "waiting")?.evidence).toEqual([
      { object: "Pod default/app", field: "status.conditions[PodScheduled]", value: "0/3 nodes: too little memory", since: ago(4) },
    ]);
    expect(steps.map(({ state }) => state)).toEqual(["done", "waiting", "not yet", "not yet"]);
  });
});
