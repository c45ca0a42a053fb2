import { describe, expect, test } from "bun:test";
import { claimPatch } from "./claim-patch.ts";
import { cachedClaim } from "./testing/objects.ts";

const metadata = { uid: "uid-of-data", resourceVersion: "1" };
const condition = (type: string, message = "") => ({ type, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", message }) as const;
const [a, b] = [condition("A"), condition("B")];
const claim = cachedClaim({
  metadata: { annotations: { "volume.kubernetes.io/storage-resizer": "r" } },
  status: { conditions: [a, b], allocatedResources: { storage: "1Gi" }, allocatedResourceStatuses: { storage: "NodeResizePending" } },
});
const body = (status: object, annotations?: object) =>
  claimPatch(claim, { status: { ...claim.status, ...status }, ...(annotations && { annotations }) })?.body;

test("nothing changes: there is no patch", () => {
  expect(body({})).toBeUndefined();
  expect(body({}, { "volume.kubernetes.io/storage-resizer": "r" })).toBeUndefined();
});

describe("only what changes is sent, with the state that it was planned for", () => {
  test.each<[string, object | undefined, object]>([
    ["a size", body({ capacity: { storage: "2Gi" } }), { metadata, status: { capacity: { storage: "2Gi" } } }],
    [
      "one of several statuses",
      body({ allocatedResourceStatuses: { storage: "NodeResizePending", other: "NodeResizePending" } }),
      { metadata, status: { allocatedResourceStatuses: { other: "NodeResizePending" } } },
    ],
    ["the last status goes", body({ allocatedResourceStatuses: {} }), { metadata, status: { allocatedResourceStatuses: null } }],
    [
      "an annotation",
      body({}, { "volume.kubernetes.io/node-expansion-not-required": "true" }),
      {
        metadata: {
          ...metadata,
          annotations: { "volume.kubernetes.io/storage-resizer": null, "volume.kubernetes.io/node-expansion-not-required": "true" },
        },
        status: {},
      },
    ],
    [
      "a condition comes last, and another goes",
      body({ conditions: [a, condition("C", "new")] }),
      {
        metadata,
        status: {
          "$setElementOrder/conditions": [{ type: "A" }, { type: "C" }],
          conditions: [condition("C", "new"), { $patch: "delete", type: "B" }],
        },
      },
    ],
    [
      "all conditions go, each for itself",
      body({ conditions: [] }),
      { metadata, status: { conditions: [a, b].map(({ type }) => ({ $patch: "delete", type })) } },
    ],
  ])("%s", (_what, patch, expected) => {
    expect(patch).toEqual(expected);
  });
});
