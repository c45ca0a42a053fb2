import { expect, test } from "bun:test";
import { createRequest } from "./create-request.ts";
import { cached, type GroupContentParts, groupContent, groupUid } from "./testing/group-objects.ts";

const options = { naming: { prefix: "groupsnapshot", uuidLength: -1 }, extraMetadata: false };

test("name, volumes in their order, and the parameters that are the driver's", () => {
  const parameters = { tier: "gold", "csi.storage.k8s.io/group-snapshotter-secret-name": "secret" };
  expect(createRequest(cached(groupContent({ spec: { source: { volumeHandles: ["b", "a"] } } })), { parameters }, options).value).toEqual({
    name: `groupsnapshot-${groupUid}`,
    sourceVolumeIds: ["b", "a"],
    parameters: { tier: "gold" },
  });
});

test("prefix and length of the name", () => {
  const naming = { prefix: "nightly", uuidLength: 12 };
  expect(createRequest(cached(groupContent()), {}, { ...options, naming }).value?.name).toBe("nightly-0f8fad5bd9cb");
});

test("the names of the Kubernetes objects", () => {
  expect(createRequest(cached(groupContent()), {}, { ...options, extraMetadata: true }).value?.parameters).toEqual({
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
  expect(createRequest(cached(groupContent(parts)), { parameters }, options)).toEqual({ error });
});
