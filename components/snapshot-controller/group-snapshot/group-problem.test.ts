import { expect, test } from "bun:test";
import type { GroupContent, GroupSnapshot } from "../fields.ts";
import { cachedGroup, cachedGroupContent, cachedStaticGroup, cachedStaticGroupContent } from "../testing/group-objects.ts";
import { contentProblem, readyProblem, sourceProblem } from "./group-problem.ts";

const other = { spec: { source: { volumeHandles: ["h"] }, volumeGroupSnapshotRef: { name: "group", namespace: "ns", uid: "another" } } };
const misbound = "VolumeGroupSnapshotContent [content] is bound to a different group snapshot";
const dynamicName = "groupsnapcontent-uid-group";

test.each<[string, GroupSnapshot, GroupContent, string[] | undefined]>([
  ["dynamic, its own", cachedGroup(), cachedGroupContent(), undefined],
  ["pre-provisioned, bound", cachedStaticGroup(), cachedStaticGroupContent(), undefined],
  ["pre-provisioned, free", cachedStaticGroup(), cachedStaticGroupContent({ uid: "" }), undefined],
  [
    "dynamic for a pre-provisioned one",
    cachedStaticGroup(),
    cachedGroupContent({ metadata: { name: "content" } }),
    [
      "GroupSnapshotContentMismatch: VolumeGroupSnapshotContent is dynamically provisioned while expecting a pre-provisioned one",
      "Failed to check and update group snapshot: group snapshot ns/group expects a pre-provisioned VolumeGroupSnapshotContent content but gets a dynamically provisioned one",
    ],
  ],
  [
    "pre-provisioned for a dynamic one",
    cachedGroup(),
    { ...cachedStaticGroupContent(), metadata: { name: dynamicName, uid: "u", resourceVersion: "1" } },
    [
      `GroupSnapshotContentMismatch: VolumeGroupSnapshotContent ${dynamicName} is pre-provisioned while expecting a dynamically provisioned one`,
      `Failed to check and update group snapshot: group snapshot ns/group expects a dynamically provisioned VolumeGroupSnapshotContent ${dynamicName} but gets a pre-provisioned one`,
    ],
  ],
  [
    "another uid",
    cachedStaticGroup(),
    cachedStaticGroupContent({ uid: "another" }),
    [`GroupSnapshotContentMisbound: ${misbound}`, `Failed to check and update group snapshot: ${misbound}`],
  ],
  [
    "another name",
    cachedStaticGroup(),
    cachedStaticGroupContent({ name: "z", uid: "" }),
    [`GroupSnapshotContentMisbound: ${misbound}`, `Failed to check and update group snapshot: ${misbound}`],
  ],
])("a content that is %s", (_, group, content, told) => {
  const problem = contentProblem(group, content);
  expect(problem && [`${problem.reason}: ${problem.message}`, problem.warning?.message]).toEqual(told);
});

test.each<[string, GroupContent | undefined, string | undefined]>([
  ["its own", cachedGroupContent(), undefined],
  ["missing", undefined, "GroupSnapshotContentMissing: VolumeGroupSnapshotContent is missing"],
  [
    "bound to another one",
    cachedGroupContent(other),
    "GroupSnapshotMisbound: VolumeGroupSnapshotContent is not bound to the VolumeGroupSnapshot correctly",
  ],
])("the content of a ready group snapshot is %s", (_, content, told) => {
  const problem = readyProblem(cachedGroup(), content);
  expect(problem && `${problem.reason}: ${problem.message}`).toEqual(told as string);
});

test.each<[string, NonNullable<GroupSnapshot["spec"]>["source"], boolean]>([
  ["a selector", { selector: {} }, true],
  ["a content", { volumeGroupSnapshotContentName: "content" }, true],
  ["both", { selector: {}, volumeGroupSnapshotContentName: "content" }, false],
  ["neither", {}, false],
  ["no source", undefined, false],
])("a group snapshot that names %s", (_, source, isValid) => {
  const problem = sourceProblem(cachedGroup({ spec: source ? { source } : {} }));
  const told = "GroupSnapshotValidationError: Exactly one of Selector and VolumeGroupSnapshotContentName should be specified";
  expect(problem && `${problem.reason}: ${problem.message}`).toEqual(isValid ? (undefined as never) : told);
});
