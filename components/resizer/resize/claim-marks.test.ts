import { describe, expect, test } from "bun:test";
import { cachedClaim } from "../testing/objects.ts";
import { markFinished, markNodePending, markRefused, markResizing } from "./claim-marks.ts";
import type { ExpandPlan } from "./plan-resize.ts";

const now = "2026-01-02T00:00:00Z";
const [recovery, plain] = [
  { recovers: true, now },
  { recovers: false, now },
];
const notRequired = "volume.kubernetes.io/node-expansion-not-required";
const resizer = "volume.kubernetes.io/storage-resizer";
const foreign = { type: "ModifyingVolume", status: "True" } as const;
const error = { type: "ControllerResizeError", status: "True", message: "failed to expand pvc with no" } as const;
const resizing = { type: "Resizing", status: "True", lastTransitionTime: now } as const;
const pending = {
  ...{ type: "FileSystemResizePending", status: "True", lastTransitionTime: now },
  message: "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
} as const;

/** A claim whose expansion to 5Gi failed, and that others have written to as well. */
const claim = cachedClaim({
  request: "2Gi",
  metadata: { annotations: { [notRequired]: "true", [resizer]: "other" } },
  status: {
    conditions: [foreign, error],
    allocatedResources: { storage: "5Gi" },
    allocatedResourceStatuses: { storage: "ControllerResizeInfeasible", "example.com/iops": "NodeResizePending" },
  },
});
const untouched = { phase: "Bound", capacity: { storage: "1Gi" } } as const;
const plan: ExpandPlan = { step: "expand", size: "2Gi", bytes: 2n ** 31n, resumes: false };

describe("with recovery", () => {
  test("an attempt at another size begins", () => {
    expect(markResizing(claim, plan, recovery)).toEqual({
      annotations: { [resizer]: "other" },
      status: {
        ...untouched,
        conditions: [foreign, resizing],
        allocatedResources: { storage: "2Gi" },
        allocatedResourceStatuses: { storage: "ControllerResizeInProgress", "example.com/iops": "NodeResizePending" },
      },
    });
  });

  test("an attempt at the same size goes on: what is known about it stays", () => {
    const { status } = markResizing(claim, { ...plan, size: "5Gi", resumes: true }, recovery);
    expect(status.conditions).toEqual([foreign, error, resizing]);
    expect(status.allocatedResourceStatuses).toEqual({ storage: "ControllerResizeInfeasible", "example.com/iops": "NodeResizePending" });
    expect(status.allocatedResources).toEqual({ storage: "5Gi" });
  });

  test("`Resizing` of another size begins anew, and that of the same size stays as it is", () => {
    const old = { ...resizing, lastTransitionTime: "2026-01-01T00:00:00Z" };
    const begun = { ...claim, status: { ...claim.status, conditions: [old] } };
    expect(markResizing(begun, plan, recovery).status.conditions).toEqual([resizing]);
    expect(markResizing(begun, { ...plan, size: "5Gi", resumes: true }, recovery).status.conditions).toEqual([old]);
    expect(markResizing(begun, plan, plain).status.conditions).toEqual([old]);
  });

  test("the node is next", () => {
    expect(markNodePending(claim, recovery)).toEqual({
      annotations: { [resizer]: "other" },
      status: {
        ...claim.status,
        conditions: [foreign, error, pending],
        allocatedResourceStatuses: { storage: "NodeResizePending", "example.com/iops": "NodeResizePending" },
      },
    });
  });

  test("it is finished", () => {
    expect(markFinished(claim, "3Gi", recovery)).toEqual({
      annotations: { [notRequired]: "true", [resizer]: "other" },
      status: {
        ...{ phase: "Bound", capacity: { storage: "3Gi" }, conditions: [foreign] },
        allocatedResources: { storage: "5Gi" },
        allocatedResourceStatuses: { "example.com/iops": "NodeResizePending" },
      },
    });
    expect(markFinished(cachedClaim(), "3Gi", recovery).annotations).toEqual({ [notRequired]: "true" });
  });

  test.each([
    [true, "ControllerResizeInfeasible"],
    [false, "ControllerResizeInProgress"],
  ] as const)("it is refused, for good: %p", (infeasible, status) => {
    const { status: inProgress } = markResizing(claim, plan, recovery);
    const refused = markRefused({ ...claim, status: inProgress }, "rpc error: no", infeasible, recovery);
    expect(refused.annotations).toBeUndefined();
    expect(refused.status.allocatedResourceStatuses).toEqual({ storage: status, "example.com/iops": "NodeResizePending" });
    const message = "failed to expand pvc with rpc error: no";
    expect(refused.status.conditions).toEqual([
      foreign,
      resizing,
      { type: "ControllerResizeError", status: "True", lastTransitionTime: now, message },
    ]);
  });

  test("a very long error is cut", () => {
    const { conditions } = markRefused(claim, "x".repeat(50_000), false, recovery).status;
    expect(conditions?.at(-1)?.message).toHaveLength(16 * 1024);
  });
});

describe("without recovery only conditions and capacity change", () => {
  test.each([
    ["it begins", markResizing(claim, plan, plain), { conditions: [foreign, resizing] }],
    ["the node is next", markNodePending(claim, plain), { conditions: [foreign, pending] }],
    ["it is finished", markFinished(claim, "3Gi", plain), { conditions: [foreign], capacity: { storage: "3Gi" } }],
  ])("%s", (_what, wanted, changes) => {
    expect(wanted).toEqual({ status: { ...claim.status, ...changes } });
  });
});

test("a claim without a capacity gets one", () => {
  expect(markFinished({ ...claim, status: {} }, "3Gi", plain).status.capacity).toEqual({ storage: "3Gi" });
});
