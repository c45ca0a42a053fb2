import { describe, expect, test } from "bun:test";
import { found, missing } from "../../access/read-cluster.ts";
import type { Explanation } from "../explanation.ts";
import type { ObservedContent, ObservedSnapshot } from "../gather/observed.ts";
import { ago, claim, driver, event, installed, lease } from "../testing/objects.ts";
import {
  beingCreated,
  beingDeleted,
  content,
  deleted,
  groupSnapshot,
  observedContent,
  observedSnapshot,
  snapshot,
  snapshotClass,
} from "../testing/snapshot-objects.ts";
import { explainSnapshot } from "./snapshot.ts";
import { explainContent } from "./snapshot-content.ts";

type Expected = readonly [state: Explanation["state"], summary: string, remedy?: string];

function check(answer: Explanation, [state, summary, remedy]: Expected): void {
  expect([answer.state, answer.summary]).toEqual([state, summary]);
  if (remedy !== undefined) expect(answer.steps.find(({ what }) => what === summary)?.remedy).toContain(remedy);
}

const status = { boundVolumeSnapshotContentName: "snapcontent-1", readyToUse: true };
const going = (parts: Partial<ObservedSnapshot> = {}, finalizers?: readonly string[], more = {}) =>
  observedSnapshot(snapshot({}, { ...status, ...more }, { ...deleted, ...(finalizers && { finalizers: [...finalizers] }) }), parts);
const taken = { snapshotHandle: "s-1", readyToUse: true };
const released = { ...deleted, annotations: beingDeleted };
const withContent = (object: ReturnType<typeof content>, parts: Partial<ObservedContent> = {}) =>
  going({ content: observedContent(object, parts) });
const inGroup = (group: ObservedSnapshot["group"]) =>
  going({ content: observedContent(content({}, taken)), ...(group && { group }) }, undefined, { volumeGroupSnapshotName: "group" });

describe("a snapshot that is being deleted", () => {
  test.each<[string, ObservedSnapshot, Expected]>([
    [
      "is being restored",
      going({ content: observedContent(content({}, taken)), restoring: found([claim()]) }),
      ["waiting", "the snapshot is being deleted, and is kept as long as it is being restored: claim default/data", "why pvc default/data"],
    ],
    [
      "belongs to a group",
      inGroup(found(groupSnapshot())),
      [
        "failed",
        "the snapshot is being deleted, and belongs to group snapshot default/group: it is deleted together with that only",
        "kubectl -n default delete volumegroupsnapshot group",
      ],
    ],
    [
      "belongs to a group that is being deleted",
      inGroup(found(groupSnapshot({}, {}, deleted))),
      ["waiting", "the snapshot goes with its group snapshot default/group, which is being deleted", "why vgs default/group"],
    ],
    ["its group is gone", inGroup(missing), ["waiting", "the snapshot is being deleted, and its content snapcontent-1 has yet to be"]],
    [
      "the driver is deleting it",
      withContent(content({}, taken, released)),
      ["waiting", "the driver is deleting the snapshot, or the next attempt is due soon", "leaks the snapshot"],
    ],
    [
      "somebody deleted its content before",
      withContent(content({}, taken, deleted)),
      ["waiting", "the snapshot is being deleted, and its content snapcontent-1 has yet to be", "log of the snapshot-controller"],
    ],
    [
      "the driver fails to delete it",
      withContent(content({}, taken, released), {
        events: [event("VolumeSnapshotContent", "SnapshotDeleteError", "Failed to delete snapshot")],
      }),
      ["failed", "the snapshot could not be deleted: Failed to delete snapshot"],
    ],
    [
      "its sidecar does not run",
      withContent(content({}, taken, released), { driver: installed({ leases: found([lease("csi-sidecars-csi-example-com", 9)]) }) }),
      ["failed", `the snapshotter of driver ${driver} does not run: host-1 was the last leader and has not renewed its lease for 9m`],
    ],
    [
      "nobody knows whether it was taken",
      withContent(content({}, {}, { ...deleted, annotations: { ...beingDeleted, ...beingCreated } })),
      ["waiting", "the driver is taking the snapshot"],
    ],
    [
      "the same, and its class is one of another driver by now",
      withContent(content({}, {}, { ...deleted, annotations: { ...beingDeleted, ...beingCreated } }), {
        contentClass: found(snapshotClass("gold", { driver: "x" })),
      }),
      ["waiting", "the driver is taking the snapshot"],
    ],
    [
      "its content is kept",
      going({ content: observedContent(content({ deletionPolicy: "Retain" }, taken)) }),
      ["waiting", "the snapshot is being deleted, and its content snapcontent-1 is kept: its policy is Retain"],
    ],
    [
      "the controller does not run",
      going({ content: observedContent(content({}, taken)), controller: found([lease("snapshot-controller-leader", 5, "")]) }),
      ["waiting", "the snapshot-controller does not run now: its lease has no holder", "check its pods"],
    ],
    [
      "the provisioner restores it",
      going({}, ["provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection"]),
      ["waiting", "the snapshot is being deleted, and the provisioner keeps it as long as it restores a volume from it", "why pvc"],
    ],
    ["somebody else keeps it", going({}, ["example.com/backup"]), ["waiting", "it is being deleted, and is kept by example.com/backup"]],
  ])("%s", (_, observed, expected) => check(explainSnapshot(observed), expected));

  test("a creation whose outcome is unknown is named beside what the driver does", () => {
    const marked = content({}, {}, { ...deleted, annotations: { ...beingDeleted, ...beingCreated } });
    expect(explainSnapshot(withContent(marked)).steps.at(-1)).toMatchObject({
      state: "waiting",
      what: expect.stringContaining("may have been taken, and nobody knows its handle"),
      remedy: expect.stringContaining("may leak a snapshot"),
    });
  });
});

const static_ = { source: { snapshotHandle: "s-1" } };
const free = { ...static_, volumeSnapshotRef: { name: "backup", namespace: "default" } };
const owned = (object: ReturnType<typeof content>, snapshotLookup: ObservedContent["snapshot"]) =>
  observedContent(object, snapshotLookup ? { snapshot: snapshotLookup } : {});

describe("a content", () => {
  test.each<[string, ObservedContent, Expected]>([
    ["does not exist", observedContent(undefined, { isServed: true }), ["failed", "does not exist"]],
    [
      "is of a kind that is not installed",
      observedContent(undefined, { isServed: false }),
      [
        "failed",
        "the cluster does not serve volumesnapshotcontents.snapshot.storage.k8s.io/v1: its CustomResourceDefinition is not installed, or lacks this version",
      ],
    ],
    [
      "is bound and ready",
      owned(content({}, taken), found(snapshot())),
      ["done", "nothing is waiting: the snapshot is ready, and the content is bound"],
    ],
    [
      "waits for its snapshot",
      owned(content(free, taken), missing),
      [
        "waiting",
        "the content is meant for snapshot default/backup, which does not exist",
        "spec.source.volumeSnapshotContentName: snapcontent-1",
      ],
    ],
    [
      "is meant for a snapshot that names another one",
      owned(content(free, taken), found(snapshot({ source: { volumeSnapshotContentName: "other" } }))),
      ["failed", "the content is meant for snapshot default/backup, which names content other", "correct spec.volumeSnapshotRef"],
    ],
    [
      "is meant for a snapshot of a claim",
      owned(content(free, taken), found(snapshot())),
      ["failed", "the content is meant for snapshot default/backup, which is taken of a claim"],
    ],
    [
      "is retained",
      owned(content({ deletionPolicy: "Retain" }, taken, { annotations: beingDeleted }), missing),
      [
        "waiting",
        "snapshot default/backup is deleted, and what the content names is kept: its policy is Retain",
        "set spec.deletionPolicy to Delete",
      ],
    ],
    [
      "was left behind",
      owned(content({}, taken), found(snapshot({}, {}, { uid: "another" }))),
      ["failed", "snapshot default/backup does not exist any more, and the content was left behind"],
    ],
    [
      "was deleted, and its snapshot was not",
      owned(content({}, taken, deleted), found(snapshot())),
      ["failed", "the content is being deleted, and is kept as long as snapshot default/backup exists", "delete the snapshot"],
    ],
    [
      "was deleted, and nobody told the sidecar",
      owned(content({}, taken, deleted), missing),
      [
        "failed",
        "the content is being deleted, its snapshot default/backup does not exist, and nobody told the sidecar so",
        "volumesnapshot-being-deleted=yes",
      ],
    ],
    [
      "has nothing to delete",
      owned(content({ deletionPolicy: "Retain" }, taken, released), missing),
      ["waiting", "nothing of it is to be deleted in the storage, and the sidecar has yet to let the content go"],
    ],
    [
      "is kept by somebody else",
      owned(content({}, {}, { ...released, finalizers: ["example.com/backup"] }), missing),
      ["waiting", "the content is being deleted, and is kept by example.com/backup"],
    ],
    [
      "was taken with a group, and has no handle",
      owned(content({}, { volumeGroupSnapshotHandle: "g-1" }), found(snapshot())),
      ["waiting", "the snapshot was taken with a group, and the snapshot-controller has yet to write its handle"],
    ],
    [
      "is to be looked up",
      owned(content(static_), found(snapshot({ source: { volumeSnapshotContentName: "snapcontent-1" } }))),
      ["waiting", "the driver has not been asked for the snapshot that the content names yet"],
    ],
  ])("%s", (_, observed, expected) => check(explainContent(observed), expected));

  test("its age is that of the deletion", () => {
    const [step] = explainContent(owned(content({}, taken, deleted), found(snapshot()))).steps;
    expect(step?.evidence[0]?.since).toBe(ago(2));
  });
});
