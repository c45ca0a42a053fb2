import { describe, expect, test } from "bun:test";
import { isOurs, planContent } from "./plan-content.ts";
import {
  beingCreated,
  beingDeleted,
  type ContentParts,
  cachedContent,
  driverName,
  finalizer,
  groupHandle,
  preProvisioned,
} from "./testing/objects.ts";

const deleted = (annotations: Record<string, string> = { [beingDeleted]: "yes" }) => ({
  finalizers: [finalizer],
  deletionTimestamp: "2026-01-01T00:00:00Z",
  annotations,
});
const abandoned = { annotations: { [beingDeleted]: "yes" } };
const marked = { annotations: { [beingCreated]: "yes" } };
const both = { [beingDeleted]: "yes", [beingCreated]: "yes" };
const member = { annotations: { [groupHandle]: "g-1" } };
const ready = { snapshotHandle: "s-1", readyToUse: true };
const unready = { snapshotHandle: "s-1", readyToUse: false };
const refused = { readyToUse: false, error: { message: "no" } };
const unbound = { volumeSnapshotRef: { namespace: "default", name: "s" } };
const retain = { deletionPolicy: "Retain" as const };

describe("a content that stays", () => {
  test.each<[string, ContentParts, string]>([
    ["new", {}, "create"],
    ["new, marked", { metadata: marked }, "create"],
    ["failed", { status: refused }, "create"],
    ["not ready", { status: unready }, "create"],
    ["ready", { status: ready }, "none"],
    ["ready, marked", { status: ready, metadata: marked }, "unmark"],
    ["deleted by hand, its snapshot stays", { metadata: deleted({}) }, "create"],
    ["deleted by hand, ready", { metadata: deleted({}), status: ready }, "none"],
    ["abandoned, never asked for", { metadata: abandoned }, "none"],
    ["abandoned, refused", { metadata: abandoned, status: refused }, "none"],
    ["abandoned, outcome unknown", { metadata: { annotations: both } }, "create"],
    ["abandoned, not ready", { metadata: abandoned, status: unready }, "create"],
    ["pre-provisioned", { spec: preProvisioned("s-1") }, "look up s-1"],
    ["pre-provisioned, not bound", { spec: preProvisioned("s-1", unbound) }, "look up s-1"],
    ["pre-provisioned, failed", { spec: preProvisioned("s-1"), status: refused }, "look up s-1"],
    ["pre-provisioned, ready", { spec: preProvisioned("s-1"), status: ready }, "none"],
    ["member, no status", { metadata: member }, "none"],
    ["member, not ready", { metadata: member, status: { ...unready, volumeGroupSnapshotHandle: "g-1" } }, "look up s-1"],
    ["member, ready", { metadata: member, status: { ...ready, volumeGroupSnapshotHandle: "g-1" } }, "none"],
  ])("%s", (_, parts, expected) => expect(text(planContent(cachedContent(parts)))).toBe(expected));
});

describe("a content that goes", () => {
  test.each<[string, ContentParts, string]>([
    ["ready", { metadata: deleted(), status: ready }, "delete s-1"],
    ["not ready", { metadata: deleted(), status: unready }, "delete s-1"],
    ["nothing was taken", { metadata: deleted() }, "release"],
    ["refused", { metadata: deleted(), status: refused }, "release"],
    ["outcome unknown", { metadata: deleted(both) }, "create"],
    ["outcome unknown, failed before", { metadata: deleted(both), status: refused }, "create"],
    ["handle known, still marked", { metadata: deleted(both), status: unready }, "unmark"],
    ["cleared", { metadata: deleted(), status: {} }, "release"],
    ["Retain", { metadata: deleted(), status: ready, spec: retain }, "release"],
    ["Retain, outcome unknown", { metadata: deleted(both), spec: retain }, "create"],
    ["without our finalizer", { metadata: { ...deleted(), finalizers: ["other.io/f"] }, spec: retain }, "none"],
    ["pre-provisioned, ready", { metadata: deleted(), spec: preProvisioned("s-1"), status: ready }, "delete s-1"],
    ["pre-provisioned, no status", { metadata: deleted(), spec: preProvisioned("s-1") }, "delete s-1"],
    ["pre-provisioned, failed", { metadata: deleted(), spec: preProvisioned("s-1"), status: refused }, "delete s-1"],
    ["pre-provisioned, cleared", { metadata: deleted(), spec: preProvisioned("s-1"), status: {} }, "release"],
    ["pre-provisioned, Retain", { metadata: deleted(), spec: preProvisioned("s-1", retain), status: ready }, "release"],
    ["pre-provisioned, never bound", { metadata: deleted({}), spec: preProvisioned("s-1", unbound), status: ready }, "delete s-1"],
    ["pre-provisioned, never bound, marked", { metadata: deleted(both), spec: preProvisioned("s-1", unbound) }, "unmark"],
    ["pre-provisioned, bound, its snapshot stays", { metadata: deleted({}), spec: preProvisioned("s-1"), status: ready }, "none"],
    ["member", { metadata: deleted({ ...both, [groupHandle]: "g-1" }), status: { ...ready, volumeGroupSnapshotHandle: "g-1" } }, "release"],
    ["member by its status", { metadata: deleted(), status: { ...ready, volumeGroupSnapshotHandle: "g-1" } }, "release"],
    ["member, no status", { metadata: deleted({ [beingDeleted]: "yes", [groupHandle]: "g-1" }) }, "release"],
  ])("%s", (_, parts, expected) => expect(text(planContent(cachedContent(parts)))).toBe(expected));
});

test.each<[string, ContentParts, string | undefined, boolean]>([
  ["no class", { spec: { volumeSnapshotClassName: undefined } }, undefined, true],
  ["class missing", {}, undefined, true],
  ["class of the driver", {}, driverName, true],
  ["class of another one", {}, "other", false],
  ["class of another one, deleted", { metadata: deleted() }, "other", true],
  ["class of another one, deleted, its snapshot stays", { metadata: deleted({}) }, "other", false],
  ["class of another one, deleted, never bound", { metadata: deleted({}), spec: preProvisioned("s-1", unbound) }, "other", true],
  ["another driver", { spec: { driver: "other" } }, undefined, false],
  ["another driver, deleted", { metadata: deleted(), spec: { driver: "other" } }, undefined, false],
  ["no source", { spec: { source: {} } }, driverName, false],
])("whose it is: %s", (_, parts, driver, expected) => {
  expect(isOurs(cachedContent(parts), driverName, driver === undefined ? undefined : { driver })).toBe(expected);
});

function text(plan: ReturnType<typeof planContent>): string {
  return "snapshotId" in plan ? `${plan.step} ${plan.snapshotId}` : plan.step;
}
