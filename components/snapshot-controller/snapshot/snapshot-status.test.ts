import { expect, test } from "bun:test";
import type { V1VolumeSnapshot, V1VolumeSnapshotContent } from "@csi-sidecars/kube";
import { contentFields, snapshotFields } from "../fields.ts";
import { cached, contentOf, snapshotOf } from "../testing/objects.ts";
import { rfc3339, type StatusChanges, statusChanges } from "./snapshot-status.ts";

const name = "snapcontent-uid-of-backup";
type Status = NonNullable<V1VolumeSnapshot["status"]>;
type Said = NonNullable<V1VolumeSnapshotContent["status"]>;

const error = { time: "2026-01-01T00:00:00Z", message: "out of space" };
const unready: Status = { boundVolumeSnapshotContentName: name, readyToUse: false };
const complete: Status = {
  boundVolumeSnapshotContentName: name,
  readyToUse: true,
  creationTime: "2026-01-01T00:00:00Z",
  restoreSize: "1Gi",
};
const taken: Said = { readyToUse: true, creationTime: 1_767_225_600_000_000_000n, restoreSize: 1_073_741_824 };

test.each<[string, Status | undefined, Said | undefined, StatusChanges | undefined]>([
  ["nothing is known", undefined, undefined, unready],
  ["all is known at once", undefined, taken, complete],
  ["it becomes ready", unready, taken, { creationTime: "2026-01-01T00:00:00Z", readyToUse: true, restoreSize: "1Gi" }],
  ["no change", complete, taken, undefined],
  ["still not ready", unready, { readyToUse: false }, undefined],
  ["a part is missing", { ...complete, restoreSize: undefined as never }, taken, { restoreSize: "1Gi" }],
  ["a size of 0 is corrected", { ...complete, restoreSize: "0" }, taken, { restoreSize: "1Gi" }],
  ["another size is not", { ...complete, restoreSize: "2Gi" }, taken, undefined],
  ["the creation time stays", { ...complete, creationTime: "2020-01-01T00:00:00Z" }, taken, undefined],
  ["an error", unready, { readyToUse: false, error }, { error }],
  ["the same error", { ...unready, error }, { error }, undefined],
  [
    "the error again, later",
    { ...unready, error },
    { error: { ...error, time: "2026-01-02T00:00:00Z" } },
    { error: { ...error, time: "2026-01-02T00:00:00Z" } },
  ],
  ["an error that is over", { ...unready, error }, { readyToUse: false }, { error: undefined }],
  ["an error of our own that is over", { error }, undefined, { ...unready, error: undefined }],
  ["an error before anything is known", undefined, { error }, { ...unready, error }],
])("%s", (_, status, said, changes) => {
  const snapshot = cached(snapshotFields, snapshotOf(status ? { status } : {}));
  const content = cached(contentFields, contentOf(said ? { status: said } : {}));
  expect(statusChanges(snapshot, content, undefined)).toStrictEqual(changes);
});

test("the group is filled in once", () => {
  const content = cached(contentFields, contentOf({ status: taken }));
  const with_ = (status: Status) => statusChanges(cached(snapshotFields, snapshotOf({ status })), content, "all");
  expect(with_(complete)).toEqual({ volumeGroupSnapshotName: "all" });
  expect(with_({ ...complete, volumeGroupSnapshotName: "other" })).toBeUndefined();
});

test.each([
  [0, "1970-01-01T00:00:00Z"],
  [1_600_000_000_999_999_999n, "2020-09-13T12:26:40Z"],
  [-1n, "1969-12-31T23:59:59Z"],
] as const)("%p ns is %s", (ns, text) => {
  expect(rfc3339(ns)).toBe(text);
});

test.each([
  [0, "0"],
  [1000, "1k"],
  [2000, "2000"],
  [1_572_864, "1536Ki"],
  [5_368_709_120, "5Gi"],
  [9_223_372_036_854_775_807n, "9223372036854775807"],
] as const)("a restore size of %p is written %s", (restoreSize, text) => {
  const content = cached(contentFields, contentOf({ status: { restoreSize } }));
  expect(statusChanges(cached(snapshotFields, snapshotOf({ status: unready })), content, undefined)).toEqual({ restoreSize: text });
});
