import { expect, test } from "bun:test";
import type { GroupContent, GroupSnapshot } from "../fields.ts";
import { cachedGroup, cachedGroupContent } from "../testing/group-objects.ts";
import { type GroupStatusChanges, groupStatusChanges } from "./group-status.ts";

const bound = { boundVolumeGroupSnapshotContentName: "groupsnapcontent-uid-group" };
const creationTime = "2026-01-01T00:00:00Z";
const error = { time: "2026-01-02T00:00:00Z", message: "no space" };

test.each<[string, GroupSnapshot["status"], GroupContent["status"], GroupStatusChanges | undefined]>([
  ["nothing known", undefined, undefined, { ...bound, readyToUse: false }],
  ["all at once", undefined, { creationTime, readyToUse: true }, { ...bound, creationTime, readyToUse: true }],
  ["taken, not ready", { ...bound, readyToUse: false }, { creationTime, readyToUse: false }, { creationTime }],
  ["ready now", { ...bound, creationTime, readyToUse: false }, { creationTime, readyToUse: true }, { readyToUse: true }],
  ["an error", { ...bound, readyToUse: false }, { readyToUse: false, error }, { error }],
  ["the same error", { ...bound, readyToUse: false, error }, { readyToUse: false, error }, undefined],
  ["an error of before", { ...bound, readyToUse: false, error }, { readyToUse: true }, { readyToUse: true, error: undefined }],
  ["known times stay", { ...bound, creationTime, readyToUse: true }, { creationTime: "2027-01-01T00:00:00Z", readyToUse: true }, undefined],
])("%s", (_, status, said, changes) => {
  const withStatus = <T extends object>(object: T, value: unknown) => (value === undefined ? object : { ...object, status: value });
  expect(groupStatusChanges(withStatus(cachedGroup(), status), withStatus(cachedGroupContent(), said))).toEqual(changes as never);
});
