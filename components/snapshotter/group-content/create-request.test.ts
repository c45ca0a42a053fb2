import { describe, expect, test } from "bun:test";
import { planRequest } from "./create-request.ts";
import { beingCreated, beingDeleted, cached, type GroupContentParts, groupContent, groupUid } from "./testing/group-objects.ts";

const options = { last: undefined, naming: { prefix: "groupsnapshot", uuidLength: -1 }, extraMetadata: false };

test("name, volumes in their order, and the parameters that are the driver's", () => {
  const parameters = { tier: "gold", "csi.storage.k8s.io/group-snapshotter-secret-name": "secret" };
  expect(planRequest(cached(groupContent({ spec: { source: { volumeHandles: ["b", "a"] } } })), { parameters }, options).value).toEqual({
    isGuess: false,
    parameters: { tier: "gold" },
    request: {
      name: `groupsnapshot-${groupUid}`,
      sourceVolumeIds: ["b", "a"],
      parameters: { tier: "gold" },
    },
  });
});

test("prefix and length of the name", () => {
  const naming = { prefix: "nightly", uuidLength: 12 };
  expect(planRequest(cached(groupContent()), {}, { ...options, naming }).value?.request.name).toBe("nightly-0f8fad5bd9cb");
});

test("the names of the Kubernetes objects", () => {
  expect(planRequest(cached(groupContent()), {}, { ...options, extraMetadata: true }).value?.request.parameters).toEqual({
    "csi.storage.k8s.io/volumegroupsnapshot/name": "group",
    "csi.storage.k8s.io/volumegroupsnapshot/namespace": "default",
    "csi.storage.k8s.io/volumegroupsnapshotcontent/name": "data",
  });
});

test.each<[string, GroupContentParts, Record<string, string>, string]>([
  [
    "a parameter that is not known",
    {},
    { "csi.storage.k8s.io/other": "x" },
    'failed to remove CSI Parameters of prefixed keys: found unknown parameter key "csi.storage.k8s.io/other" with reserved namespace csi.storage.k8s.io/',
  ],
  [
    "a content that is not bound",
    { spec: { volumeGroupSnapshotRef: { namespace: "default", name: "group" } } },
    {},
    'failed to take group snapshot of the volumes [a b]: "cannot create group snapshot. Group snapshot content data not bound to a group snapshot"',
  ],
  [
    "a content without volumes",
    { spec: { source: {} } },
    {},
    'failed to take group snapshot of the volumes []: "cannot create group snapshot. PVCs to be snapshotted not found in group snapshot content data"',
  ],
])("%s", (_, parts, parameters, error) => {
  expect(planRequest(cached(groupContent(parts)), { parameters }, options)).toEqual({ error });
});

const missing =
  "failed to get input parameters to create group snapshot for group snapshot content data: " +
  '"volumegroupsnapshotclass.groupsnapshot.storage.k8s.io \\"grouped\\" not found"';
const last = { tier: "gold" };
const request = { name: `groupsnapshot-${groupUid}`, sourceVolumeIds: ["a", "b"] };
const abandoned = { annotations: { [beingDeleted]: "yes" } };
const unknown = { annotations: { [beingDeleted]: "yes", [beingCreated]: "yes" } };

describe("without its class,", () => {
  test.each([
    ["a content waits", {}, { error: missing }],
    ["a content waits whose outcome is not known", { annotations: { [beingCreated]: "yes" } }, { error: missing }],
    ["nothing is taken for a group that is deleted", abandoned, { error: missing }],
    [
      "a content that is deleted while the outcome is not known repeats the last call",
      unknown,
      { value: { request: { ...request, parameters: last }, parameters: last, isGuess: false } },
    ],
  ])("%s", (_, metadata, planned) => {
    expect(planRequest(cached(groupContent({ metadata })), undefined, { ...options, last })).toEqual(planned as never);
  });

  test("a process that does not know the last call guesses", () => {
    expect(planRequest(cached(groupContent({ metadata: unknown })), undefined, options)).toEqual({
      value: { request: { ...request, parameters: {} }, parameters: {}, isGuess: true },
    });
  });

  test("a content that names none says so", () => {
    const { volumeGroupSnapshotClassName: _, ...spec } = groupContent().spec!;
    const content = cached({ ...groupContent(), spec });
    expect(planRequest(content, undefined, options).error).toBe(
      'failed to get input parameters to create group snapshot for group snapshot content data: "failed to take group snapshot data without a group snapshot class"',
    );
  });
});
