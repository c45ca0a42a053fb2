import { describe, expect, test } from "bun:test";
import { found, missing, unreadable } from "../../access/read-cluster.ts";
import type { Explanation } from "../explanation.ts";
import type { ObservedSnapshot } from "../gather/observed.ts";
import { ago, bound, claim, driver, event, installed, lease, volume } from "../testing/objects.ts";
import {
  beingCreated,
  content,
  controllerLeads,
  deleted,
  groupContent,
  groupSnapshot,
  observedContent,
  observedSnapshot,
  ofGroup,
  snapshot,
  snapshotClass,
  source,
  withContent,
} from "../testing/snapshot-objects.ts";
import { explainSnapshot } from "./snapshot.ts";

type Case = readonly [name: string, observed: ObservedSnapshot, state: Explanation["state"], summary: string, remedy?: string];

function table(cases: readonly Case[]): void {
  for (const [name, observed, state, summary, remedy] of cases) {
    test(name, () => {
      const answer = explainSnapshot(observed);
      expect([answer.state, answer.summary]).toEqual([state, summary]);
      if (remedy !== undefined) expect(answer.steps.find(({ what }) => what === summary)?.remedy).toContain(remedy);
    });
  }
}

const from = (parts: Parameters<typeof source>[0]) => observedSnapshot(snapshot(), { sources: found([source(parts)]) });
const unnamed = snapshot({ volumeSnapshotClassName: undefined as never });
const defaults = (...classes: readonly ReturnType<typeof snapshotClass>[]) => observedSnapshot(unnamed, { defaultClasses: found(classes) });
const failedWith = (message: string) => observedSnapshot(snapshot({}, { error: { message, time: ago(1) } }));
const named = snapshot({ source: { volumeSnapshotContentName: "snapcontent-1" } });
const static_ = { source: { snapshotHandle: "s-1" } };

describe("a snapshot that has no content yet", () => {
  table([
    ["does not exist", observedSnapshot(undefined, { isServed: true }), "failed", "does not exist", "check the name"],
    [
      "is of a kind that is not installed",
      observedSnapshot(undefined, { isServed: false }),
      "failed",
      "the cluster does not serve volumesnapshots.snapshot.storage.k8s.io/v1: its CustomResourceDefinition is not installed, or lacks this version",
      "docs/snapshots.md",
    ],
    ["its claim does not exist", from({ claim: missing }), "failed", "claim default/data does not exist", "create the claim"],
    ["its claim is not bound", from({ claim: found(claim()) }), "waiting", "claim default/data is not bound", "why pvc default/data"],
    [
      "its claim is being deleted",
      from({ claim: found(bound({}, {}, deleted)) }),
      "failed",
      "claim default/data is being deleted: no snapshot of it is taken any more",
      "delete the snapshot too",
    ],
    ["its volume is gone", from({ volume: missing }), "failed", "the volume of claim default/data does not exist any more"],
    [
      "its volume is in-tree",
      from({ volume: found({ metadata: { name: "pv-1" }, spec: { hostPath: { path: "/" } } }) }),
      "failed",
      "volume pv-1 of claim default/data is not one of a CSI driver",
    ],
    [
      "its class does not exist",
      observedSnapshot(snapshot(), { snapshotClass: missing }),
      "failed",
      "the snapshot names class gold, which does not exist",
      "create class gold",
    ],
    [
      "its class is one of another driver",
      observedSnapshot(snapshot(), { snapshotClass: found(snapshotClass("gold", { driver: "other.example.com" })) }),
      "failed",
      `class gold is one of driver other.example.com, and the volume is one of driver ${driver}`,
      `take it again with a class of driver ${driver}`,
    ],
    [
      "no default class of its driver",
      defaults(snapshotClass("theirs", { driver: "other.example.com" })),
      "failed",
      `the snapshot names no class, and driver ${driver} has no default class`,
      "mark exactly one VolumeSnapshotClass",
    ],
    [
      "several default classes",
      defaults(snapshotClass("a"), snapshotClass("b")),
      "failed",
      `the snapshot names no class, and driver ${driver} has 2 default classes: a and b`,
      'annotation snapshot.storage.kubernetes.io/is-default-class: "true"',
    ],
    ["the default class", defaults(snapshotClass("a")), "waiting", "the snapshot-controller has not created its content yet"],
    [
      "the controller does not run",
      observedSnapshot(snapshot(), { controller: found([lease("snapshot-controller-leader", 5, "controller-1")]) }),
      "failed",
      "the snapshot-controller does not run: controller-1 was the last leader and has not renewed its lease for 5m",
      "check its pods in namespace storage",
    ],
    [
      "the controller is not installed",
      observedSnapshot(snapshot(), { controller: found([]) }),
      "waiting",
      "no lease of the snapshot-controller was found: it does not run, or it runs without --leader-election",
      "every cluster needs one",
    ],
    [
      "the controller found something wrong",
      failedWith("Failed: the class is one of driver x"),
      "failed",
      "the snapshot cannot be taken: Failed: the class is one of driver x",
      "the volume's own driver",
    ],
    [
      "it belongs to a group",
      observedSnapshot(snapshot({}, { volumeGroupSnapshotName: "group" })),
      "waiting",
      "the snapshot belongs to group snapshot default/group, whose content has yet to be written for it",
      "why vgs default/group",
    ],
    ["names a content that does not exist", observedSnapshot(named), "waiting", "its content snapcontent-1 does not exist", "create that"],
    [
      "has lost its content",
      observedSnapshot(snapshot({}, { readyToUse: true, boundVolumeSnapshotContentName: "snapcontent-1" })),
      "failed",
      "its content snapcontent-1 does not exist any more",
      "csi-sidecars audit",
    ],
  ]);
});

describe("a snapshot with a content", () => {
  const reported = { message: 'failed to take snapshot: "rpc error: code = ResourceExhausted desc = full"', time: ago(4) };
  table([
    [
      "that belongs to an earlier one",
      withContent(content({ volumeSnapshotRef: { name: "backup", namespace: "default", uid: "earlier" } })),
      "failed",
      "content snapcontent-1 belongs to an earlier snapshot of the same name",
    ],
    [
      "that belongs to another one",
      observedSnapshot(named, { content: observedContent(content({ ...static_, volumeSnapshotRef: { name: "x", namespace: "y" } })) }),
      "failed",
      "content snapcontent-1 belongs to snapshot y/x",
      "it has to name default/backup",
    ],
    [
      "that is of the other kind",
      observedSnapshot(named, { content: observedContent(content()) }),
      "failed",
      "content snapcontent-1 cannot be used: the snapshot asks for a snapshot that exists in the storage, and the content is one to be taken",
      "has the handle of a snapshot",
    ],
    [
      "that is free",
      observedSnapshot(named, {
        content: observedContent(content({ ...static_, volumeSnapshotRef: { name: "backup", namespace: "default" } })),
      }),
      "waiting",
      "content snapcontent-1 is not bound yet",
    ],
    [
      "whose sidecar does not run",
      withContent(content(), { driver: installed({ leases: found([lease("external-snapshotter-leader-csi-example-com", 7)]) }) }),
      "failed",
      `the snapshotter of driver ${driver} does not run: host-1 was the last leader and has not renewed its lease for 7m`,
      "check the pods of the driver's controller",
    ],
    ["that nobody has looked at", withContent(content()), "waiting", "the driver has not been asked to take the snapshot yet"],
    [
      "that a sidecar without lease on a node works on",
      withContent(content({}, {}, { labels: { "snapshot.storage.kubernetes.io/managed-by": "n1" } }), {
        driver: installed({ leases: unreadable }),
      }),
      "waiting",
      "the driver has not been asked to take the snapshot yet",
    ],
    ["that is being taken", withContent(content({}, {}, { annotations: beingCreated })), "waiting", "the driver is taking the snapshot"],
    [
      "that is taken and not ready",
      withContent(content({}, { snapshotHandle: "s-1", readyToUse: false })),
      "waiting",
      "the driver has taken the snapshot, and it is not ready to use yet",
      "uploaded",
    ],
    [
      "that the driver refused",
      withContent(content({}, { readyToUse: false, error: reported })),
      "failed",
      "the snapshot could not be taken: the storage has no room for another snapshot, or a limit is reached (ResourceExhausted)",
      "delete old snapshots",
    ],
    [
      "that the sidecar found something wrong with",
      withContent(content(static_, { error: { message: "can not find snapshot s-1" } }), {}, { snapshot: found(named) }),
      "failed",
      "the snapshot could not be taken: can not find snapshot s-1",
      "check the handles",
    ],
    [
      "whose class is one of another driver",
      withContent(content(), { contentClass: found(snapshotClass("gold", { driver: "x" })) }),
      "failed",
      `the content is one of driver ${driver}, and its class gold is one of driver x: no sidecar works on it`,
    ],
    [
      "that is ready",
      withContent(content({}, { snapshotHandle: "s-1", readyToUse: true })),
      "waiting",
      "the snapshot is ready, and its status does not say so yet",
    ],
    [
      "that may not be read",
      withContent(
        content(),
        { content: unreadable },
        { snapshot: found(snapshot({}, { boundVolumeSnapshotContentName: "c", error: reported })) },
      ),
      "failed",
      "the snapshot cannot be taken: the storage has no room for another snapshot, or a limit is reached (ResourceExhausted)",
    ],
    [
      "that may not be read, and of which nothing is said",
      withContent(content(), { content: unreadable }),
      "waiting",
      "the driver has not taken the snapshot yet",
      "ask somebody who may read contents",
    ],
    [
      "and is ready",
      observedSnapshot(snapshot({}, { readyToUse: true, boundVolumeSnapshotContentName: "snapcontent-1" }), {
        content: observedContent(content({}, { readyToUse: true })),
      }),
      "done",
      "nothing is waiting: the snapshot is ready to use",
    ],
  ]);

  test("all steps, in their order", () => {
    const answer = explainSnapshot(withContent(content({}, { readyToUse: false, error: reported }, { annotations: beingCreated })));
    expect(answer.steps.map(({ state, what }) => `${state}: ${what}`)).toEqual([
      "done: the snapshot has content snapcontent-1",
      `done: the snapshotter of driver ${driver} runs: host-1 is the leader`,
      `failed: ${answer.summary}`,
    ]);
    expect(answer.steps.at(-1)?.evidence).toEqual([
      { object: "VolumeSnapshotContent snapcontent-1", field: "status.error", value: reported.message, since: ago(4) },
      {
        object: "VolumeSnapshotContent snapcontent-1",
        field: "metadata.annotations[snapshot.storage.kubernetes.io/volumesnapshot-being-created]",
        value: "yes",
        since: ago(9),
      },
    ]);
  });
});

describe("a group snapshot", () => {
  const twoDrivers = [
    source(),
    source({ ref: { namespace: "default", name: "b" }, volume: found(volume({ csi: { driver: "x", volumeHandle: "h" } })) }),
  ];
  table([
    [
      "selects no claim",
      observedSnapshot(groupSnapshot(), { ...ofGroup, sources: found([]) }),
      "failed",
      "no claim of the namespace has the labels app=db",
      "label the claims",
    ],
    [
      "selects claims of several drivers",
      observedSnapshot(groupSnapshot(), { ...ofGroup, sources: found(twoDrivers) }),
      "failed",
      `class gold is one of driver ${driver}, and the volume is one of driver x`,
    ],
    [
      "is of a kind that is not installed",
      observedSnapshot(undefined, { ...ofGroup, isServed: false }),
      "failed",
      "the cluster does not serve volumegroupsnapshots.groupsnapshot.storage.k8s.io/v1: its CustomResourceDefinition is not installed, or lacks this version",
    ],
    [
      "the driver refused it",
      observedSnapshot(groupSnapshot(), {
        ...ofGroup,
        content: observedContent(groupContent({}, { error: { message: "rpc error: code = FailedPrecondition desc = two pools" } }), {
          kind: ofGroup.kind,
          events: [event("VolumeGroupSnapshotContent", "GroupSnapshotCreationFailed", "two pools")],
          controller: controllerLeads,
        }),
      }),
      "failed",
      "the group snapshot could not be taken: the driver cannot take snapshots of these volumes together (FailedPrecondition)",
    ],
  ]);
});
