import { describe, expect, test } from "bun:test";
import { CreateVolumeGroupSnapshotResponse, GetVolumeGroupSnapshotResponse } from "@csi-sidecars/csi";
import { foundGroup, takenGroup } from "./taken-group.ts";
import { cached, groupContent } from "./testing/group-objects.ts";

type Answer = Parameters<(typeof CreateVolumeGroupSnapshotResponse)["fromPartial"]>[0];
type Group = NonNullable<Answer["groupSnapshot"]>;

const content = cached(groupContent());
const a = { snapshotId: "s-a", sourceVolumeId: "a" };
const b = { snapshotId: "s-b", sourceVolumeId: "b" };
const taken = (groupSnapshot: Group, of = content) => takenGroup(of, CreateVolumeGroupSnapshotResponse.fromPartial({ groupSnapshot }));

test("the members as the status lists them: in the order of the answer, with exact times, without what was not said", () => {
  const times = { creationTime: { seconds: 1_800_000_000n, nanos: 123_456_789 } };
  const group: Group = {
    groupSnapshotId: "g",
    readyToUse: true,
    ...times,
    snapshots: [{ ...b, readyToUse: true, sizeBytes: 9_007_199_254_740_993n, ...times }, a],
  };
  expect(taken(group)).toEqual({
    value: {
      handle: "g",
      readyToUse: true,
      ...times,
      members: [
        {
          volumeHandle: "b",
          snapshotHandle: "s-b",
          creationTime: 1_800_000_000_123_456_789n,
          readyToUse: true,
          restoreSize: 9_007_199_254_740_993n,
        },
        { volumeHandle: "a", snapshotHandle: "s-a", readyToUse: false },
      ],
    },
  });
});

test("times that cannot be stored, and negative sizes, are not known", () => {
  const { value } = taken({
    groupSnapshotId: "g",
    snapshots: [{ ...a, sizeBytes: -1n, creationTime: { seconds: 253_402_300_799n, nanos: 0 } }, b],
  });
  expect(value?.members[0]).toEqual({ volumeHandle: "a", snapshotHandle: "s-a", readyToUse: false });
});

describe("an answer that makes no sense:", () => {
  test("no group snapshot", () => {
    const answer = CreateVolumeGroupSnapshotResponse.fromPartial({});
    expect(takenGroup(content, answer)).toEqual({ error: "the driver answered without a group snapshot" });
  });

  test.each<[string, Group, string]>([
    ["no id", { snapshots: [a, b] }, "the driver answered with a group snapshot without an id"],
    ["a missing member", { groupSnapshotId: "g", snapshots: [b] }, 'the driver answered without a snapshot of volume "a"'],
    ["no members", { groupSnapshotId: "g" }, 'the driver answered without a snapshot of volume "a"'],
    [
      "a snapshot of another volume",
      { groupSnapshotId: "g", snapshots: [a, b, { snapshotId: "s-c", sourceVolumeId: "c" }] },
      'the driver answered with snapshot "s-c" of volume "c", which is not in the group',
    ],
    [
      "a snapshot of no volume",
      { groupSnapshotId: "g", snapshots: [a, { snapshotId: "s-c" }] },
      'the driver answered with snapshot "s-c" of volume "", which is not in the group',
    ],
    [
      "two snapshots of a volume",
      { groupSnapshotId: "g", snapshots: [a, b, { ...a, snapshotId: "s-c" }] },
      'the driver answered with two snapshots of volume "a"',
    ],
    [
      "a snapshot of two volumes",
      { groupSnapshotId: "g", snapshots: [a, { ...b, snapshotId: "s-a" }] },
      'the driver answered with snapshot "s-a" for two volumes',
    ],
    [
      "a snapshot without an id",
      { groupSnapshotId: "g", snapshots: [a, { ...b, snapshotId: "" }] },
      'the driver answered with a snapshot of volume "b" without an id',
    ],
  ])("%s", (_, group, error) => expect(taken(group)).toEqual({ error }));

  test("another group snapshot than the one that is known", () => {
    const known = cached(groupContent({ status: { volumeGroupSnapshotHandle: "g", readyToUse: false } }));
    expect(taken({ groupSnapshotId: "h", snapshots: [a, b] }, known)).toEqual({
      error: 'the driver answered with group snapshot "h" instead of "g"',
    });
  });
});

test("what an administrator has named", () => {
  const found = (answer: Answer) => foundGroup("g", GetVolumeGroupSnapshotResponse.fromPartial(answer));
  expect(found({ groupSnapshot: { groupSnapshotId: "g", readyToUse: true, snapshots: [a] } }).value).toEqual({
    handle: "g",
    readyToUse: true,
    creationTime: undefined,
    members: [],
  });
  expect(found({}).error).toBe("the driver answered without a group snapshot");
  expect(found({ groupSnapshot: {} }).error).toBe("the driver answered with a group snapshot without an id");
  expect(found({ groupSnapshot: { groupSnapshotId: "h" } }).error).toBe('the driver answered with group snapshot "h" instead of "g"');
});
