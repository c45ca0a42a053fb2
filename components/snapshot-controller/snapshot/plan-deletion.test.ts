import { expect, test } from "bun:test";
import { snapshotFinalizer, type V1VolumeSnapshotContent } from "@csi-sidecars/kube";
import { contentFields, snapshotFields } from "../fields.ts";
import { cached, contentOf, existingContent, preProvisioned, type SnapshotParts, snapshotOf } from "../testing/objects.ts";
import { planDeletion, removedFinalizers } from "./plan-deletion.ts";

const { asSource, bound, inGroup } = snapshotFinalizer;
const name = "snapcontent-uid-of-backup";

interface Given {
  readonly snapshot?: SnapshotParts;
  readonly contents?: readonly V1VolumeSnapshotContent[];
  readonly isBeingRestored?: boolean;
  readonly groupExists?: boolean | "deleting" | undefined;
}

function plan({ snapshot = {}, contents = [], isBeingRestored = false, ...given }: Given) {
  const metadata = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [asSource, bound], ...snapshot.metadata };
  const found = new Map(contents.map((each) => [each.metadata?.name, cached(contentFields, each)]));
  const groupExists = () => ("groupExists" in given ? given.groupExists : false);
  return planDeletion(cached(snapshotFields, snapshotOf({ ...snapshot, metadata })), { contents: found, isBeingRestored, groupExists });
}

const status = { boundVolumeSnapshotContentName: name };
const theirs = (uid: string) => contentOf({ name, snapshotUid: uid });

test.each<[string, Given, boolean]>([
  ["by the name in the status", { snapshot: { status }, contents: [contentOf()] }, true],
  ["by the name that it would have, where the status was never written", { contents: [contentOf()] }, true],
  ["not of an earlier snapshot of this name", { snapshot: { status }, contents: [theirs("other")] }, false],
  [
    "not of another snapshot",
    {
      snapshot: { status },
      contents: [contentOf({ spec: { volumeSnapshotRef: { namespace: "default", name: "x", uid: "uid-of-backup" } } })],
    },
    false,
  ],
  [
    "a pre-provisioned one that is bound",
    {
      snapshot: preProvisioned(),
      contents: [existingContent({ spec: { volumeSnapshotRef: { namespace: "default", name: "backup", uid: "uid-of-backup" } } })],
    },
    true,
  ],
  ["not a pre-provisioned one that is not bound", { snapshot: preProvisioned(), contents: [existingContent()] }, false],
])("the content is found: %s", (_, given, isFound) => {
  const made = plan(given);
  // A content that is not bound to this very snapshot is never deleted, and holds nothing up.
  expect(made.step === "delete" && made.content !== undefined).toBe(isFound);
});

test("a snapshot stays until the content that is deleted with it is gone", () => {
  expect(removedFinalizers(true)).toEqual([asSource, inGroup]);
  expect(removedFinalizers(false)).toEqual([asSource, bound, inGroup]);
});

test("nothing is done without finalizers of ours", () => {
  expect(plan({ snapshot: { metadata: { finalizers: ["example.com/x"] } }, contents: [contentOf()] })).toEqual({ step: "none" });
});

test("a snapshot that is being restored stays, if it has a content", () => {
  const pending = { step: "pending", message: "Snapshot is being used to restore a PVC" } as const;
  expect(plan({ contents: [contentOf()], isBeingRestored: true })).toEqual(pending);
  expect(plan({ isBeingRestored: true }).step).toBe("delete");
});

test("a member of a group goes after its group", () => {
  const member = { metadata: { finalizers: [asSource, inGroup] }, status: { ...status, volumeGroupSnapshotName: "all" } };
  expect(plan({ snapshot: member, contents: [contentOf()], groupExists: true })).toMatchObject({
    step: "pending",
    message:
      "deletion of the individual volume snapshot default/backup is not allowed as it belongs to group snapshot default/all. Deleting the group snapshot will trigger the deletion of all the individual volume snapshots that are part of the group.",
  });
  expect(plan({ snapshot: member, contents: [contentOf()] })).toMatchObject({ step: "delete" });
  expect(plan({ snapshot: member, contents: [contentOf()], groupExists: undefined }).step).toBe("groupUnknown");
  expect(plan({ snapshot: member, contents: [contentOf()], groupExists: "deleting" }).step).toBe("waitForGroup");
});
