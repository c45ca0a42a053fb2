import { expect, test } from "bun:test";
import type { V1VolumeSnapshot } from "@csi-sidecars/kube";
import { groupSnapshotRow, snapshotRow } from "./snapshot-rows.ts";

const at = "2026-01-01T12:00:00Z";
const metadata = { namespace: "default", name: "s", creationTimestamp: at };
const fromClaim = { source: { persistentVolumeClaimName: "data" } };

test.each<[string, V1VolumeSnapshot, object]>([
  ["has no status yet", { spec: fromClaim }, { phase: "Creating", size: "", source: "data", group: "" }],
  ["is not ready", { status: { readyToUse: false, restoreSize: "1Gi" } }, { phase: "Creating", size: "1Gi" }],
  ["is ready, with a size in bytes", { status: { readyToUse: true, restoreSize: 3221225472 } }, { phase: "Ready", size: "3Gi" }],
  ["has failed", { status: { readyToUse: false, error: { message: "no" } } }, { phase: "Error" }],
  ["is deleted", { metadata: { ...metadata, deletionTimestamp: at }, status: { readyToUse: true } }, { phase: "Deleting" }],
  ["was there before", { spec: { source: { volumeSnapshotContentName: "c" } } }, { source: "c" }],
  ["belongs to a group", { status: { volumeGroupSnapshotName: "g" } }, { group: "g" }],
])("a snapshot that %s", (_, snapshot, expected) => {
  expect(snapshotRow({ metadata, ...snapshot })).toMatchObject({ name: "default/s", since: Date.parse(at), ...expected });
});

test("a group shows the claims of its members, not those of a group with its name elsewhere", () => {
  const member = (namespace: string, claim: string, group: string): V1VolumeSnapshot => ({
    metadata: { namespace, name: claim },
    spec: { source: { persistentVolumeClaimName: claim } },
    status: { volumeGroupSnapshotName: group },
  });
  const members = [member("default", "b", "g"), member("default", "a", "g"), member("other", "c", "g"), member("default", "d", "h")];
  const group = { metadata: { namespace: "default", name: "g" }, status: { readyToUse: true } };
  expect(groupSnapshotRow(group, members)).toEqual({ name: "default/g", phase: "Ready", claims: "a, b", since: 0 });
});
