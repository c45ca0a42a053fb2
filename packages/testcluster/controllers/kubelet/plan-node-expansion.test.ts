import { describe, expect, test } from "bun:test";
import type { V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { volume } from "../testing/objects.ts";
import { expansionFailed, expansionFinished, planNodeExpansion } from "./plan-node-expansion.ts";

type Status = NonNullable<V1PersistentVolumeClaim["status"]>;
type State = NonNullable<Status["allocatedResourceStatuses"]>[string];
const pending = { type: "FileSystemResizePending", status: "True" } as const;
const foreign = { type: "Unused", status: "True" } as const;

/** A claim for 2Gi that has 1Gi so far. */
function claim(status: Partial<Status>, { shared = false, request = "2Gi", annotations = {} } = {}): V1PersistentVolumeClaim {
  return {
    metadata: { annotations },
    spec: { accessModes: [shared ? "ReadWriteMany" : "ReadWriteOnce"], resources: { requests: { storage: request } } },
    status: { capacity: { storage: "1Gi" }, ...status },
  };
}
const allocated = (state?: State, capacity = "1Gi"): Partial<Status> => ({
  capacity: { storage: capacity },
  allocatedResources: { storage: "2Gi" },
  ...(state && { allocatedResourceStatuses: { storage: state } }),
});
const notRequired = { "volume.kubernetes.io/node-expansion-not-required": "true" };

describe("planNodeExpansion", () => {
  const expand = { step: "expand", size: "2Gi", recovery: true, finished: false, infeasibleOnFailure: false };
  const none = { step: "none" };
  const assume = { step: "assume", size: "2Gi" };
  const rows: readonly (readonly [string, V1PersistentVolumeClaim, object])[] = [
    ["pending on the node", claim(allocated("NodeResizePending")), expand],
    ["begun before", claim(allocated("NodeResizeInProgress")), expand],
    ["pending again at a size that the claim shows", claim(allocated("NodeResizePending", "2Gi")), expand],
    ["still the controller's turn", claim(allocated("ControllerResizeInProgress")), none],
    ["infeasible for the controller", claim(allocated("ControllerResizeInfeasible")), none],
    ["infeasible for the node", claim(allocated("NodeResizeInfeasible")), none],
    ["allocated, but not begun", claim(allocated()), none],
    ["finished without the node", claim(allocated(undefined, "2Gi")), assume],
    ["shared, finished on another node", claim(allocated(undefined, "2Gi"), { shared: true }), { ...expand, finished: true }],
    ["shared, finished without any node", claim(allocated(undefined, "2Gi"), { shared: true, annotations: notRequired }), assume],
    ["shared, not begun", claim(allocated(), { shared: true }), none],
    ["a resizer without recovery", claim({ conditions: [pending] }), { ...expand, recovery: false }],
    ["a resizer without recovery that did it all", claim({ capacity: { storage: "2Gi" } }), { ...expand, recovery: false, finished: true }],
  ];
  const larger = volume({ spec: { capacity: { storage: "2Gi" } } });
  test.each(rows)("%s", (_name, given, plan) => expect<object>(planNodeExpansion(given, larger, false)).toEqual(plan));

  test.each([
    ["failed before, another size asked for", true, "3Gi", true],
    ["failed before, the same size", true, "2048Mi", false],
    ["the first attempt, another size asked for", false, "3Gi", false],
  ])("%s", (_name, failedBefore, request, infeasibleOnFailure) => {
    const plan = planNodeExpansion(claim(allocated("NodeResizeInProgress"), { request }), larger, failedBefore);
    expect<object>(plan).toEqual({ ...expand, infeasibleOnFailure });
  });

  test("the size is the allocated one, which the driver may have exceeded", () => {
    const exceeded = volume({ spec: { capacity: { storage: "4Gi" } } });
    expect<object>(planNodeExpansion(claim(allocated("NodeResizePending")), exceeded, false)).toEqual(expand);
    expect<object>(planNodeExpansion(claim({}), exceeded, false)).toEqual({ ...expand, size: "4Gi", recovery: false });
  });
});

describe("the claim after an expansion", () => {
  test("keeps what others wrote", () => {
    const statuses = { storage: "NodeResizeInProgress", "example.com/other": "NodeResizePending" } as const;
    const before = claim({ ...allocated(), allocatedResourceStatuses: statuses, conditions: [foreign, pending] });
    expect(expansionFinished(before, "2Gi")).toEqual({
      status: {
        capacity: { storage: "2Gi" },
        allocatedResourceStatuses: { storage: null },
        conditions: [{ $patch: "delete", type: "FileSystemResizePending" }],
      },
    });
  });

  test("has no empty map left", () => {
    const finished = { status: { capacity: { storage: "2Gi" }, allocatedResourceStatuses: null } };
    expect(expansionFinished(claim(allocated("NodeResizeInProgress")), "2Gi")).toEqual(finished);
    expect(expansionFinished(claim({}), "2Gi")).toEqual({ status: { capacity: { storage: "2Gi" } } });
  });
});

describe("the claim after a failure", () => {
  const now = Date.UTC(2026, 0, 1);
  const error = {
    type: "NodeResizeError",
    status: "True",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    message: "failed to expand pvc with no room",
  };
  const failure = { result: "failed", message: "no room" } as const;

  test("has the first error", () => {
    const first = expansionFailed(claim({ conditions: [pending] }), failure, { infeasible: false, now });
    expect(first).toEqual({ status: { conditions: [error] } });
    const told = claim({ conditions: [{ type: "NodeResizeError", status: "True" }] });
    expect(expansionFailed(told, failure, { infeasible: false, now })).toEqual({ status: {} });
  });

  test("is the resizer's again if the size is infeasible", () => {
    expect(expansionFailed(claim({}), failure, { infeasible: true, now })).toEqual({
      status: { allocatedResourceStatuses: { storage: "NodeResizeInfeasible" }, conditions: [error] },
    });
  });
});
