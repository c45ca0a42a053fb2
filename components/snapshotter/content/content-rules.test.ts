import { describe, expect, test } from "bun:test";
import { mayMatter } from "./content-rules.ts";
import { beingCreated, beingDeleted, type ContentParts, cachedContent } from "./testing/objects.ts";

const annotated = (annotations: Record<string, string>) => ({ metadata: { annotations } });

describe("a change of somebody else is a reason to look at a content", () => {
  test.each<[string, ContentParts, ContentParts, boolean]>([
    ["nothing", {}, {}, false],
    ["another version", {}, { metadata: { resourceVersion: "2" } }, false],
    ["finalizers", {}, { metadata: { finalizers: ["other.io/f"] } }, false],
    ["empty annotations", {}, annotated({}), false],
    ["the mark comes", {}, annotated({ [beingCreated]: "yes" }), false],
    ["the mark goes", annotated({ [beingCreated]: "yes" }), {}, false],
    ["an error", {}, { status: { readyToUse: false, error: { message: "no" } } }, false],
    ["class", {}, { spec: { volumeSnapshotClassName: "other" } }, true],
    ["its VolumeSnapshot is deleted", {}, annotated({ [beingDeleted]: "yes" }), true],
    ["deletion", {}, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }, true],
    ["another object", {}, { metadata: { uid: "other" } }, true],
    ["ready", { status: { readyToUse: false } }, { status: { readyToUse: true } }, true],
    ["ready no more", { status: { readyToUse: true } }, { status: { readyToUse: false } }, true],
    ["still ready", { status: { readyToUse: true } }, { status: { readyToUse: true, restoreSize: 1 } }, false],
    ["a handle", {}, { status: { snapshotHandle: "s-1" } }, true],
    [
      "a group's handle",
      { status: { snapshotHandle: "s-1" } },
      { status: { snapshotHandle: "s-1", volumeGroupSnapshotHandle: "g-1" } },
      true,
    ],
  ])("%s", (_, before, after, expected) => expect(mayMatter(cachedContent(before), cachedContent(after))).toBe(expected));
});
