import { describe, expect, test } from "bun:test";
import type { V1VolumeGroupSnapshotContent, V1VolumeSnapshotContent } from "@csi-sidecars/kube";
import { compareSnapshots } from "./compare-snapshots.ts";
import type { SnapshotInventory } from "./snapshot-inventory.ts";

const since = "2026-03-01T12:00:00Z";
const created = "2026-03-01T11:00:00Z";
const everything = { prefix: "", ignore: [] };
const uid = "0f5e0b5c-1111-2222-3333-444455556666";
const beingCreated = { "snapshot.storage.kubernetes.io/volumesnapshot-being-created": "yes" };

/** `id@volume`, or `id@volume/group` */
const listed = (...ids: readonly string[]) =>
  new Map(
    ids.map((each) => {
      const [id = "", of = ""] = each.split("@");
      const [sourceVolumeId = "", groupSnapshotId = ""] = of.split("/");
      return [id, { sourceVolumeId, groupSnapshotId }];
    }),
  );

const content = (handle: string | undefined, parts: V1VolumeSnapshotContent = {}): V1VolumeSnapshotContent => ({
  metadata: { name: `content-${handle}`, creationTimestamp: created, ...parts.metadata },
  spec: { source: { volumeHandle: "v" }, volumeSnapshotRef: { namespace: "ns", name: "backup", uid }, ...parts.spec },
  status: { ...(handle && { snapshotHandle: handle, readyToUse: true }), ...parts.status },
});
const group = (parts: V1VolumeGroupSnapshotContent = {}): V1VolumeGroupSnapshotContent => ({
  metadata: { name: "group-content", creationTimestamp: created, ...parts.metadata },
  spec: { source: { volumeHandles: ["v"] }, volumeGroupSnapshotRef: { namespace: "ns", name: "group", uid }, ...parts.spec },
  ...(parts.status && { status: parts.status }),
});
const takenGroup = { volumeGroupSnapshotHandle: "g", volumeSnapshotInfoList: [{ volumeHandle: "v", snapshotHandle: "m" }] };

const inventory = (
  before: ReturnType<typeof listed>,
  after: ReturnType<typeof listed>,
  contents: readonly V1VolumeSnapshotContent[] = [],
  groupContents: readonly V1VolumeGroupSnapshotContent[] = [],
): SnapshotInventory => ({ before, after, contents, groupContents });
const both = (
  ids: readonly string[],
  contents: readonly V1VolumeSnapshotContent[] = [],
  groups: readonly V1VolumeGroupSnapshotContent[] = [],
) => inventory(listed(...ids), listed(...ids), contents, groups);

describe("snapshots", () => {
  test.each<[string, SnapshotInventory, readonly string[], (readonly string[])?]>([
    ["all is well", both(["a@v", "b@v"], [content("a"), content("b")]), []],
    ["one has no content", both(["a@v", "b@v"], [content("a")]), ["snapshot without content b"]],
    ["taken between the looks", inventory(listed(), listed("new@v")), []],
    ["deleted between the looks", inventory(listed("old@v"), listed()), []],
    ["a content without snapshot", both([], [content("a")]), ["content without snapshot a VolumeSnapshotContent content-a"]],
    ["a content whose snapshot was taken after the first look", inventory(listed(), listed("a@v"), [content("a")]), []],
    ["a content whose snapshot went after the first look", inventory(listed("a@v"), listed(), [content("a")]), []],
    ["a content whose snapshot its creator named", both(["a@v"], [content(undefined, { spec: { source: { snapshotHandle: "a" } } })]), []],
    [
      "a snapshot that its creator named is gone",
      both([], [content(undefined, { spec: { source: { snapshotHandle: "a" } } })]),
      ["content without snapshot a VolumeSnapshotContent content-undefined"],
    ],
    ["a content without handle names nothing", both([], [content(undefined)]), []],
    ["the uid of a content without handle is in its id", both([`snapshot-${uid}@w`], [content(undefined)]), [], [`snapshot-${uid}`]],
    ["the same without dashes", both([`s${uid.replaceAll("-", "")}@w`], [content(undefined)]), [], [`s${uid.replaceAll("-", "")}`]],
    [
      "a snapshot of its volume may be being taken",
      both(["x@v"], [content(undefined, { metadata: { annotations: beingCreated } })]),
      [],
      ["x"],
    ],
    ["no snapshot of its volume is being taken", both(["x@v"], [content(undefined)]), ["snapshot without content x"]],
    ["a member of a group", both(["m@v/g"], [], [group({ status: takenGroup })]), []],
    ["a member that the group's content does not list", both(["n@v/g", "m@v/g"], [], [group({ status: takenGroup })]), []],
    [
      "a group that is being taken",
      both(
        ["m@v/g"],
        [],
        [group({ metadata: { annotations: { "groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-created": "yes" } } })],
      ),
      [],
      ["m"],
    ],
    ["a group that no content knows", both(["m@v/g"], [], []), ["snapshot without content m"]],
    [
      "the member of a group is gone",
      both([], [], [group({ status: takenGroup })]),
      ["content without snapshot m VolumeGroupSnapshotContent group-content"],
    ],
    [
      "the member of a group is gone, and has a content of its own",
      both([], [content("m")], [group({ status: takenGroup })]),
      ["content without snapshot m VolumeSnapshotContent content-m"],
    ],
  ])("%s", (_, given, expected, inProgress = []) => {
    const answer = compareSnapshots(given, everything, since);
    const told = answer.differences.map(({ kind, snapshot, object }) => [kind, snapshot, object].filter(Boolean).join(" "));
    expect([told, answer.inProgress.map(({ snapshot }) => snapshot)]).toEqual([[...expected], [...inProgress]]);
  });

  test("those of volumes that are left out are left out too, and ids may be named", () => {
    const given = both(
      ["a@pvc-1", "b@image-1", "c@pvc-2", "keep-1@pvc-1"],
      [content("lost", { spec: { source: { volumeHandle: "image-2" } } })],
    );
    const { differences, storageSnapshots, contents } = compareSnapshots(given, { prefix: "pvc-", ignore: ["keep-*", "pvc-2"] }, since);
    expect(differences.map(({ snapshot }) => snapshot)).toEqual(["a"]);
    expect([storageSnapshots, contents]).toEqual([1, 0]);
  });

  test("each difference says whose it is, and since when", () => {
    const lost = content("lost", { metadata: { deletionTimestamp: since }, status: { readyToUse: false } });
    expect(compareSnapshots(both(["a@v"], [lost]), everything, since).differences).toEqual([
      { kind: "snapshot without content", volume: "v", snapshot: "a", since },
      {
        ...{ kind: "content without snapshot", volume: "v", snapshot: "lost", object: "VolumeSnapshotContent content-lost" },
        ...{ since: created, note: "not ready, snapshot ns/backup, being deleted" },
      },
    ]);
  });
});
