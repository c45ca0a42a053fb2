import { describe } from "bun:test";
import type { ClaimFacts } from "./facts.ts";
import { seen } from "./look.ts";
import { grpc, table } from "./testing/claim-cases.ts";
import { actor, ago, bound, claimFacts, driver, event, lease, pod, volume } from "./testing/objects.ts";

describe("a claim that grows", () => {
  const condition = (type: string, message = "") => ({ type, status: "True", message, lastTransitionTime: ago(5) });
  const grows = (status: Parameters<typeof bound>[1] = {}, more: Partial<ClaimFacts> = {}) =>
    claimFacts(bound({ resources: { requests: { storage: "2Gi" } } }, status), { volume: seen(volume()), pods: seen([]), ...more });
  const node = { allocatedResourceStatuses: { storage: "NodeResizePending" as const }, conditions: [condition("FileSystemResizePending")] };
  table([
    ["nobody took it up", grows(), ["waiting", "no resizer has taken up the request for a larger volume"]],
    [
      "no resizer runs",
      grows({}, { actor: actor({ leases: seen([lease("external-resizer-csi-example-com", 9)]) }) }),
      ["failed", `the resizer of driver ${driver} does not run: host-1 led last and has not renewed its lease for 9m`],
    ],
    ["the driver is at it", grows({ conditions: [condition("Resizing")] }), ["waiting", "the driver is making the volume larger"]],
    [
      "the driver failed",
      grows({}, { events: [event("PersistentVolumeClaim", "VolumeResizeFailed", grpc("FailedPrecondition"))] }),
      ["failed", "the volume could not grow: the volume cannot grow while it is in use (FailedPrecondition)", "stop the pods"],
    ],
    [
      "the size is infeasible",
      grows({
        allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" },
        conditions: [condition("ControllerResizeError", grpc("OutOfRange"))],
      }),
      [
        "failed",
        "the storage cannot give the volume this size: the size asked for is not one the storage offers",
        "lower spec.resources.requests.storage",
      ],
    ],
    [
      "the node has to, and no pod runs",
      grows(node),
      ["waiting", "the file system grows when a pod uses the claim, and none does", "start a pod"],
    ],
    [
      "the node has to",
      grows(node, { pods: seen([pod({ nodeName: "n1" })]) }),
      ["waiting", "the kubelet has to make the file system larger for pod default/app on n1"],
    ],
    [
      "the node failed",
      grows({ allocatedResourceStatuses: { storage: "NodeResizeInfeasible" }, conditions: [condition("NodeResizeError", "fs is full")] }),
      ["failed", "the node could not make the file system larger: fs is full"],
    ],
  ]);
});
