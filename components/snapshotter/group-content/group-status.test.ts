import { expect, test } from "bun:test";
import { statusChanges } from "./group-status.ts";
import type { TakenGroup } from "./taken-group.ts";
import { cached, type GroupContentParts, groupContent } from "./testing/group-objects.ts";

const now = Date.parse("2026-01-02T03:04:05.678Z");
const members = [{ volumeHandle: "a", snapshotHandle: "s-a", readyToUse: false, creationTime: 1_800_000_000_123_456_789n }];
const group: TakenGroup = { handle: "g", readyToUse: false, creationTime: { seconds: 1_800_000_000n, nanos: 987_654_321 }, members };
const known = {
  volumeGroupSnapshotHandle: "g",
  readyToUse: false,
  creationTime: "2026-01-01T00:00:00Z",
  volumeSnapshotInfoList: [{ snapshotHandle: "s-a" }],
};

const all = { volumeGroupSnapshotHandle: "g", readyToUse: false, creationTime: "2027-01-15T08:00:00Z", volumeSnapshotInfoList: members };

test.each<[string, GroupContentParts["status"], Partial<TakenGroup>, object]>([
  ["the first answer", undefined, {}, all],
  [
    "the first answer, after an error",
    { readyToUse: false, error: { message: "no" } },
    { readyToUse: true },
    { ...all, readyToUse: true, error: undefined },
  ],
  ["an answer without a time", undefined, { creationTime: undefined }, { ...all, creationTime: "2026-01-02T03:04:05Z" }],
  [
    "an answer with the time that stands for none",
    undefined,
    { creationTime: { seconds: 0n, nanos: 0 } },
    { ...all, creationTime: "2026-01-02T03:04:05Z" },
  ],
  [
    "an answer of a pre-provisioned group",
    undefined,
    { members: [] },
    { volumeGroupSnapshotHandle: "g", readyToUse: false, creationTime: "2027-01-15T08:00:00Z" },
  ],
  ["the same answer again", known, {}, {}],
  ["it became ready", known, { readyToUse: true }, { readyToUse: true }],
  ["an error is over, although it is not ready", { ...known, error: { message: "no" } }, {}, { error: undefined }],
  ["a list of what was deleted", { volumeSnapshotInfoList: [{ snapshotHandle: "s-0" }] }, {}, all],
  ["a list that was lost", { ...known, volumeSnapshotInfoList: [] }, {}, { volumeSnapshotInfoList: members }],
])("%s", (_, status, parts, changes) => {
  expect(statusChanges(cached(groupContent(status && { status })), { ...group, ...parts }, now)).toStrictEqual(changes);
});
