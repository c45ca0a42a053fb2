import { describe } from "bun:test";
import { found } from "../../access/read-cluster.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { grpc, table } from "../testing/claim-cases.ts";
import { ago, bound, driver, event, installed, lease, observedClaim, pod, volume } from "../testing/objects.ts";

describe("a claim that is expanded", () => {
  const condition = (type: string, message = "") => ({ type, status: "True", message, lastTransitionTime: ago(5) });
  const grows = (status: Parameters<typeof bound>[1] = {}, more: Partial<ObservedClaim> = {}) =>
    observedClaim(bound({ resources: { requests: { storage: "2Gi" } } }, status), { volume: found(volume()), pods: found([]), ...more });
  const node = { allocatedResourceStatuses: { storage: "NodeResizePending" as const }, conditions: [condition("FileSystemResizePending")] };
  table([
    ["no sidecar has started", grows(), ["waiting", "no resizer has started to expand the volume"]],
    [
      "no resizer runs",
      grows({}, { driver: installed({ leases: found([lease("external-resizer-csi-example-com", 9)]) }) }),
      ["failed", `the resizer of driver ${driver} does not run: host-1 was the last leader and has not renewed its lease for 9m`],
    ],
    ["the driver has started", grows({ conditions: [condition("Resizing")] }), ["waiting", "the driver is expanding the volume"]],
    [
      "the driver failed",
      grows({}, { events: [event("PersistentVolumeClaim", "VolumeResizeFailed", grpc("FailedPrecondition"))] }),
      [
        "failed",
        "the volume could not be expanded: the volume cannot be expanded while it is in use (FailedPrecondition)",
        "stop the pods",
      ],
    ],
    [
      "the size is infeasible",
      grows({
        allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" },
        conditions: [condition("ControllerResizeError", grpc("OutOfRange"))],
      }),
      [
        "failed",
        "the storage cannot provide this size: the storage does not offer the requested size (OutOfRange)",
        "lower spec.resources.requests.storage",
      ],
    ],
    [
      "the node has to, and no pod runs",
      grows(node),
      ["waiting", "the file system is expanded when a pod uses the claim, and none does", "start a pod"],
    ],
    [
      "the node has to, once the pod starts",
      grows(node, { pods: found([pod({ nodeName: "n1" })]) }),
      ["waiting", "the file system is expanded when pod default/app starts on n1, which waits itself", "why pod default/app"],
    ],
    [
      "the node has to",
      grows(node, { pods: found([pod({ nodeName: "n1" }, { phase: "Running" })]) }),
      ["waiting", "the kubelet has to expand the file system for pod default/app on n1"],
    ],
    [
      "the node failed",
      grows({ allocatedResourceStatuses: { storage: "NodeResizeInfeasible" }, conditions: [condition("NodeResizeError", "fs is full")] }),
      ["failed", "the node could not expand the file system: fs is full"],
    ],
  ]);
});
