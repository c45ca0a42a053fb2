import { expect, test } from "bun:test";
import { projectorFor } from "@csi-sidecars/kube";
import { claimFields, type Populator } from "./fields.ts";
import { registeredKind } from "./source-kind.ts";
import { book, claimOf, otherClaim, snapshot } from "./testing/objects.ts";
import { firstLook } from "./verdict.ts";

const project = projectorFor(claimFields);
const judged = (verdict: string) => ({ is: "judged", verdict });
const waiting = (group: string, kind: string) => ({ is: "waiting", kind: { group, kind } });
const skipped = { is: "skipped" };
type Source = Parameters<typeof claimOf>[1];
type Change = Partial<ReturnType<typeof claimOf>>;

test.each<[what: string, source: Source, change: Change, look: object]>([
  ["no data source", undefined, {}, judged("empty")],
  ["a claim", otherClaim, {}, judged("pvc")],
  ["a claim, its group null", { ...otherClaim, apiGroup: null as never }, {}, judged("pvc")],
  ["a claim, its group empty", { ...otherClaim, apiGroup: "" }, {}, judged("pvc")],
  ["a snapshot", snapshot, {}, judged("snapshot")],
  ["a kind of somebody else", book, {}, waiting("library.example.com", "Book")],
  ["the same in another namespace", { ...book, namespace: "prod" }, {}, waiting("library.example.com", "Book")],
  ["a core kind", { ...otherClaim, kind: "Secret" }, {}, waiting("", "Secret")],
  ["the kind of claims in a group", { ...otherClaim, apiGroup: "example.com" }, {}, waiting("example.com", "PersistentVolumeClaim")],
  ["the kind of claims in lower case", { ...otherClaim, kind: "persistentvolumeclaim" }, {}, waiting("", "persistentvolumeclaim")],
  ["the kind of snapshots without their group", { ...snapshot, apiGroup: "" }, {}, waiting("", "VolumeSnapshot")],
  ["another kind in the group of snapshots", { ...snapshot, kind: "Tape" }, {}, waiting("snapshot.storage.k8s.io", "Tape")],
  ["a claim whose phase is not written yet", book, { status: {} }, waiting("library.example.com", "Book")],
  ["a claim that is pending", book, { status: { phase: "Pending" } }, waiting("library.example.com", "Book")],
  ["a claim that is bound", book, { status: { phase: "Bound" } }, skipped],
  ["a claim that has lost its volume", book, { status: { phase: "Lost" } }, skipped],
  ["a claim that is deleted", book, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }, skipped],
  ["a bound claim without data source", undefined, { status: { phase: "Bound" } }, skipped],
])("%s", (_what, source, change, look) => {
  expect<object>(firstLook(project({ ...claimOf("data", source), ...change }))).toEqual(look);
});

test.each<[what: string, sourceKind: unknown, kind: object | undefined]>([
  ["a group and a kind", { group: "library.example.com", kind: "Book" }, { group: "library.example.com", kind: "Book" }],
  ["a kind of the core group", { group: "", kind: "Secret" }, { group: "", kind: "Secret" }],
  ["nothing", undefined, undefined],
  ["no kind", { group: "library.example.com" }, undefined],
  ["an empty kind", { group: "library.example.com", kind: "" }, undefined],
  ["no group", { kind: "Book" }, undefined],
  ["a number", { group: 5, kind: "Book" }, undefined],
  ["a text", "Book", undefined],
])("a populator with %s", (_what, sourceKind, kind) => {
  expect<object | undefined>(registeredKind({ metadata: { name: "p", uid: "u", resourceVersion: "1" }, sourceKind } as Populator)).toEqual(
    kind,
  );
});
