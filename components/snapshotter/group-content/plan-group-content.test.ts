import { describe, expect, test } from "bun:test";
import { type GroupContentPlan, isOurs, planGroupContent } from "./plan-group-content.ts";
import {
  beingCreated,
  beingDeleted,
  cached,
  deleted,
  driverName,
  type GroupContentParts,
  groupContent,
  preProvisioned,
} from "./testing/group-objects.ts";

const ready = { volumeGroupSnapshotHandle: "g", readyToUse: true };
const pending = { volumeGroupSnapshotHandle: "g", readyToUse: false };
const failed = { readyToUse: false, error: { message: "no" } };
const infos = [{ snapshotHandle: "s1" }, { snapshotHandle: "s2" }];
const marked = { annotations: { [beingCreated]: "yes" } };
const abandoned = { annotations: { [beingDeleted]: "yes" } };
const both = { annotations: { [beingCreated]: "yes", [beingDeleted]: "yes" } };
const unbound = { volumeGroupSnapshotRef: { namespace: "default", name: "group" } };
const deletion = (snapshotIds: string[]): GroupContentPlan => ({ step: "delete", group: { groupSnapshotId: "g", snapshotIds } });
const release: GroupContentPlan = { step: "release" };

const dynamic: [string, GroupContentParts, GroupContentPlan][] = [
  ["a new content", {}, { step: "create" }],
  ["one that failed", { status: failed }, { step: "create" }],
  ["one that is not ready", { status: pending }, { step: "create" }],
  ["one that is ready", { status: ready }, { step: "none" }],
  ["one that is ready, still marked", { metadata: marked, status: ready }, { step: "unmark" }],
  ["one that nobody wants any more, before anything was asked", { metadata: abandoned }, { step: "none" }],
  ["one that nobody wants any more, after a final error", { metadata: abandoned, status: failed }, { step: "none" }],
  ["one that nobody wants any more, while the outcome is not known", { metadata: both }, { step: "create" }],
  ["one that nobody wants any more, which is not ready", { metadata: abandoned, status: pending }, { step: "create" }],
  ["one that is deleted before its group is", { metadata: deleted, status: ready }, { step: "none" }],
  [
    "a deleted one that has a snapshot",
    { metadata: { ...deleted, ...abandoned }, status: { ...ready, volumeSnapshotInfoList: infos } },
    deletion(["s1", "s2"]),
  ],
  ["a deleted one without a list", { metadata: { ...deleted, ...abandoned }, status: ready }, deletion([])],
  ["a deleted one, never asked for", { metadata: { ...deleted, ...abandoned } }, release],
  ["a deleted one that failed for good", { metadata: { ...deleted, ...abandoned }, status: failed }, release],
  [
    "a deleted one whose snapshot is deleted",
    { metadata: { ...deleted, ...abandoned }, status: { volumeSnapshotInfoList: infos } },
    release,
  ],
  ["a deleted one that is let go", { metadata: { ...deleted, ...abandoned, finalizers: ["other"] } }, { step: "none" }],
  ["a deleted one while the outcome is not known", { metadata: { ...deleted, ...both } }, { step: "create" }],
  ["a deleted one that failed, while the outcome is not known", { metadata: { ...deleted, ...both }, status: failed }, { step: "create" }],
  [
    "a deleted one, marked, whose handle is known",
    { metadata: { ...deleted, ...both }, status: { ...pending, volumeSnapshotInfoList: infos } },
    { step: "unmark" },
  ],
  [
    "a deleted one that is to be retained",
    { metadata: { ...deleted, ...abandoned }, spec: { deletionPolicy: "Retain" }, status: ready },
    release,
  ],
];

const named: [string, GroupContentParts, GroupContentPlan][] = [
  ["a new content", {}, { step: "check" }],
  ["one that nobody wants any more", { metadata: abandoned }, { step: "check" }],
  ["one that is ready", { status: ready }, { step: "none" }],
  ["an unbound one", { spec: unbound }, { step: "check" }],
  ["a deleted one without status", { metadata: { ...deleted, ...abandoned } }, deletion(["s1", "s2"])],
  ["a deleted one that failed", { metadata: { ...deleted, ...abandoned }, status: failed }, deletion(["s1", "s2"])],
  ["a deleted one that is ready", { metadata: { ...deleted, ...abandoned }, status: ready }, deletion(["s1", "s2"])],
  ["a deleted one whose snapshot is deleted", { metadata: { ...deleted, ...abandoned }, status: {} }, release],
  ["a deleted one that is let go", { metadata: { ...deleted, ...abandoned, finalizers: ["other"] } }, { step: "none" }],
  ["a deleted one that is not bound", { metadata: deleted, spec: unbound }, deletion(["s1", "s2"])],
  ["a deleted one that is bound", { metadata: deleted, status: ready }, { step: "none" }],
  ["a deleted one that somebody has marked", { metadata: { ...deleted, ...both } }, { step: "unmark" }],
  ["a deleted one that is to be retained", { metadata: { ...deleted, ...abandoned }, spec: { deletionPolicy: "Retain" } }, release],
];

describe("of volumes:", () => {
  test.each(dynamic)("%s", (_, parts, plan) => expect(planGroupContent(cached(groupContent(parts)))).toEqual(plan));
});

describe("pre-provisioned:", () => {
  test.each(named)("%s", (_, parts, plan) => {
    expect(planGroupContent(cached(preProvisioned("g", ["s1", "s2"], parts)))).toEqual(plan);
  });
});

test.each([
  ["a content of volumes", groupContent(), { driver: driverName }, true],
  ["one without a class", groupContent(), undefined, true],
  ["a pre-provisioned one", preProvisioned("g", []), undefined, true],
  ["one without a source", groupContent({ spec: { source: { volumeHandles: [] } } }), undefined, false],
  ["one of another driver", groupContent({ spec: { driver: "other" } }), undefined, false],
  ["one whose class is another driver's", groupContent(), { driver: "other" }, false],
  ["a deleted one whose class is another driver's", groupContent({ metadata: { ...deleted, ...abandoned } }), { driver: "other" }, true],
  ["such a one whose group stays", groupContent({ metadata: deleted }), { driver: "other" }, false],
])("ours: %s", (_, content, groupClass, ours) => {
  expect(isOurs(cached(content), driverName, groupClass)).toBe(ours);
});
