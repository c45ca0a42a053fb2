import { expect, test } from "bun:test";
import type { V1PersistentVolume, V1PersistentVolumeClaim, V1VolumeSnapshotClass, V1VolumeSnapshotContent } from "@csi-sidecars/kube";
import { claimFields, classFields, contentFields, snapshotFields, volumeFields } from "../fields.ts";
import {
  cached,
  claimOf,
  classOf,
  contentOf,
  existingContent,
  preProvisioned,
  type SnapshotParts,
  snapshotOf,
  volumeOf,
} from "../testing/objects.ts";
import type { Lookups } from "./plan-lookups.ts";
import { planSnapshot } from "./plan-snapshot.ts";

interface Given {
  readonly snapshot?: SnapshotParts;
  readonly contents?: readonly V1VolumeSnapshotContent[];
  readonly classes?: readonly V1VolumeSnapshotClass[];
  readonly claim?: V1PersistentVolumeClaim | "missing";
  readonly volume?: V1PersistentVolume | "missing";
  readonly group?: ReturnType<Lookups["groupOf"]>;
  readonly notesVolumeMode?: boolean;
  readonly node?: ReturnType<Lookups["nodeFor"]>;
}

function plan({ snapshot = {}, contents = [], classes = [classOf()], claim = claimOf(), volume = volumeOf(), ...given }: Given) {
  const found = new Map(contents.map((each) => [each.metadata?.name, cached(contentFields, each)]));
  const known = classes.map((each) => cached(classFields, each));
  const look: Lookups = {
    contents: found,
    classes: { get: (name) => known.find(({ metadata }) => metadata.name === name), list: () => known },
    claims: { get: (key) => (claim !== "missing" && key === "default/data" ? cached(claimFields, claim) : undefined) },
    volumes: { get: (name) => (volume !== "missing" && name === "pv-data" ? cached(volumeFields, volume) : undefined) },
    groupOf: () => given.group ?? "no groups",
    nodeFor: () => given.node ?? "any",
    notesVolumeMode: given.notesVolumeMode ?? true,
  };
  return planSnapshot(cached(snapshotFields, snapshotOf(snapshot)), look);
}

const noClass = { spec: { source: { persistentVolumeClaimName: "data" } } };
const noClassParts = { ...noClass, spec: { ...noClass.spec, volumeSnapshotClassName: undefined as never } };
const unbound = claimOf({ status: { phase: "Pending" } });
const bound = "snapcontent-uid-of-backup";
const ready = { boundVolumeSnapshotContentName: bound, readyToUse: true, creationTime: "2026-01-01T00:00:00Z" };
const creation = (cause: string) => ["SnapshotContentCreationFailed", `Failed to create snapshot content with error ${cause}`, false];
const input = (cause: string) => creation(`failed to get input parameters to create snapshot backup: ${cause}`);
const defaultClass = classOf({ metadata: { name: "usual", annotations: { "snapshot.storage.kubernetes.io/is-default-class": "true" } } });
const otherRef = { volumeSnapshotRef: { namespace: "default", name: "backup", uid: "other" } };
const secretKeys = (name?: string, namespace?: string) => ({
  parameters: {
    ...(name !== undefined && { "csi.storage.k8s.io/snapshotter-secret-name": name }),
    ...(namespace !== undefined && { "csi.storage.k8s.io/snapshotter-secret-namespace": namespace }),
  },
});

/** Reason, message, and whether it becomes unready. */
const problems: readonly [string, Given, readonly unknown[]][] = [
  [
    "no source",
    { snapshot: { spec: { source: {} } } },
    ["SnapshotValidationError", "Exactly one of PersistentVolumeClaimName and VolumeSnapshotContentName should be specified", false],
  ],
  [
    "two sources",
    { snapshot: { spec: { source: { persistentVolumeClaimName: "data", volumeSnapshotContentName: "existing" } } } },
    ["SnapshotValidationError", "Exactly one of PersistentVolumeClaimName and VolumeSnapshotContentName should be specified", false],
  ],
  [
    "an unknown class",
    { classes: [] },
    [
      "GetSnapshotClassFailed",
      'Failed to get snapshot class with error volumesnapshotclass.snapshot.storage.k8s.io "gold" not found',
      undefined,
    ],
  ],
  [
    "no class, and no default",
    { snapshot: noClassParts },
    ["SetDefaultSnapshotClassFailed", "Failed to set default snapshot class with error cannot find default snapshot class", undefined],
  ],
  [
    "two defaults",
    {
      snapshot: noClassParts,
      classes: [defaultClass, classOf({ ...defaultClass, metadata: { ...defaultClass.metadata, name: "other" } })],
    },
    ["SetDefaultSnapshotClassFailed", "Failed to set default snapshot class with error 2 default snapshot classes were found", undefined],
  ],
  [
    "the default of another driver",
    { snapshot: noClassParts, classes: [{ ...defaultClass, driver: "other.example.com" }] },
    ["SetDefaultSnapshotClassFailed", "Failed to set default snapshot class with error cannot find default snapshot class", undefined],
  ],
  [
    "no class, and no claim",
    { snapshot: noClassParts, claim: "missing" },
    [
      "SetDefaultSnapshotClassFailed",
      'Failed to set default snapshot class with error failed to retrieve PVC data from the lister: "persistentvolumeclaim \\"data\\" not found"',
      undefined,
    ],
  ],
  [
    "no class, and a volume without driver",
    { snapshot: noClassParts, volume: volumeOf({ spec: { csi: undefined as never, hostPath: { path: "/x" } } }) },
    [
      "SetDefaultSnapshotClassFailed",
      "Failed to set default snapshot class with error snapshotting non-CSI volumes is not supported, snapshot:default/backup",
      undefined,
    ],
  ],
  ["no claim", { claim: "missing" }, creation("snapshot controller failed to update backup on API server: cannot get claim from snapshot")],
  [
    "a claim that is being deleted",
    { claim: claimOf({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }) },
    creation("snapshot controller failed to update data on API server: cannot add finalizer on claim because it is being deleted"),
  ],
  ["an unbound claim", { claim: unbound }, input('"the PVC data is not yet bound to a PV, will not attempt to take a snapshot"')],
  [
    "no volume",
    { volume: "missing" },
    input('"failed to retrieve PV pv-data from the API server: \\"persistentvolumes \\\\\\"pv-data\\\\\\" not found\\""'),
  ],
  ["the volume of another claim", { volume: volumeOf({ claimUid: "other" }) }, input('"claim in dataSource not bound or invalid"')],
  [
    "a volume without driver",
    { volume: volumeOf({ spec: { csi: undefined as never, hostPath: { path: "/x" } } }) },
    creation("cannot find CSI PersistentVolumeSource for volume pv-data"),
  ],
  [
    "the class of another driver",
    { classes: [classOf({ driver: "other.example.com" })] },
    creation("Volume CSI driver (csi.example.com) mismatch with VolumeSnapshotClass (other.example.com) default/backup: pv-data"),
  ],
  [
    "one secret key only",
    { classes: [classOf(secretKeys("creds"))] },
    input(
      '"failed to get name and namespace template from params: either name and namespace for Snapshotter secrets specified, Both must be specified"',
    ),
  ],
  [
    "a dynamic snapshot that has lost its content",
    { snapshot: { status: ready } },
    ["SnapshotContentMissing", "VolumeSnapshotContent is missing", false],
  ],
  [
    "one that has been told so",
    { snapshot: { status: { ...ready, readyToUse: false } } },
    ["SnapshotContentMissing", "VolumeSnapshotContent is missing", false],
  ],
  [
    "a pre-provisioned snapshot without content",
    { snapshot: preProvisioned() },
    ["SnapshotContentMissing", "VolumeSnapshotContent is missing", false],
  ],
  [
    "a ready pre-provisioned one without content",
    { snapshot: preProvisioned("existing", { status: { ...ready, boundVolumeSnapshotContentName: "existing" } }) },
    ["SnapshotContentMissing", "VolumeSnapshotContent is missing", false],
  ],
  [
    "a pre-provisioned snapshot that names a dynamic content",
    { snapshot: preProvisioned(bound), contents: [contentOf()] },
    ["SnapshotContentMismatch", "VolumeSnapshotContent is dynamically provisioned while expecting a pre-provisioned one", false],
  ],
  [
    "a dynamic snapshot with a pre-provisioned content",
    { contents: [contentOf({ spec: { source: { snapshotHandle: "snap-1" } } })] },
    ["SnapshotContentMismatch", `VolumeSnapshotContent ${bound} is pre-provisioned while expecting a dynamically provisioned one`, false],
  ],
  [
    "a pre-provisioned content of another snapshot",
    { snapshot: preProvisioned(), contents: [existingContent({ spec: { volumeSnapshotRef: { namespace: "default", name: "other" } } })] },
    ["SnapshotContentMisbound", "VolumeSnapshotContent [existing] is bound to a different snapshot", false],
  ],
  [
    "a pre-provisioned content of an earlier snapshot of this name",
    { snapshot: preProvisioned(), contents: [existingContent({ spec: otherRef })] },
    ["SnapshotContentMisbound", "VolumeSnapshotContent [existing] is bound to a different snapshot", false],
  ],
  [
    "a dynamic content without uid",
    { contents: [contentOf({ spec: { volumeSnapshotRef: { namespace: "default", name: "backup" } } })] },
    ["SnapshotContentMisbound", `VolumeSnapshotContent [${bound}] is bound to a different snapshot`, false],
  ],
  [
    "a pre-provisioned content that names the class of another driver itself",
    {
      snapshot: preProvisioned("existing", { spec: { volumeSnapshotClassName: undefined as never } }),
      contents: [existingContent({ spec: { volumeSnapshotClassName: "gold" } })],
      classes: [classOf({ driver: "other.example.com" })],
    },
    [
      "SnapshotBindFailed",
      "Snapshot failed to bind VolumeSnapshotContent, VolumeSnapshotContent existing is of CSI driver csi.example.com, VolumeSnapshotClass gold of other.example.com",
      false,
    ],
  ],
  [
    "a member of a group whose content is another one's",
    {
      snapshot: { metadata: { ownerReferences: [groupOwner()] }, status: { ...ready, boundVolumeSnapshotContentName: "theirs" } },
      contents: [contentOf({ name: "theirs", snapshotUid: "other" })],
    },
    ["SnapshotContentMisbound", "VolumeSnapshotContent [theirs] is bound to a different snapshot", false],
  ],
  [
    "a ready snapshot whose content is another one's",
    {
      snapshot: { status: { ...ready, boundVolumeSnapshotContentName: "theirs" } },
      contents: [contentOf({ name: "theirs", snapshotUid: "other" })],
    },
    ["SnapshotMisbound", "VolumeSnapshotContent is not bound to the VolumeSnapshot correctly", false],
  ],
  [
    "a group that is not there",
    { contents: [contentOf({ status: { readyToUse: true, volumeGroupSnapshotHandle: "group-1" } })], group: "none" },
    [
      "SnapshotStatusUpdateFailed",
      "Snapshot status update failed, updateSnapshotStatus: cannot find the group snapshot for VolumeSnapshot [default/backup], will not update snapshot status",
      undefined,
    ],
  ],
];

for (const [name, given, [reason, message, ready]] of problems) {
  test(`${name}: ${reason}`, () => {
    const made = plan(given);
    expect(made).toMatchObject({ step: "problem", problem: { reason, message } });
    expect(made.step === "problem" && made.problem.notReady ? false : undefined).toBe(ready as false | undefined);
  });
}

function groupOwner(apiVersion = "groupsnapshot.storage.k8s.io/v1") {
  return { apiVersion, kind: "VolumeGroupSnapshot", name: "all", uid: "uid-of-all" };
}

test("a snapshot of a bound claim is to be taken, with the driver and the policy of its class", () => {
  expect(plan({})).toMatchObject({
    step: "take",
    isDefault: false,
    lacksNode: false,
    content: {
      name: bound,
      snapshot: { name: "backup", namespace: "default", uid: "uid-of-backup" },
      driver: "csi.example.com",
      deletionPolicy: "Delete",
      volumeHandle: "handle-data",
      className: "gold",
      volumeMode: "Filesystem",
    },
  });
});

test("without a class the only default one of the driver is taken", () => {
  const classes = [
    classOf(),
    defaultClass,
    { ...defaultClass, metadata: { ...defaultClass.metadata, name: "x" }, driver: "other.example.com" },
  ];
  expect(plan({ snapshot: noClassParts, classes })).toMatchObject({ step: "take", isDefault: true, content: { className: "usual" } });
});

test("only the value true marks a default class", () => {
  const marked = (value: string) =>
    classOf({ metadata: { name: value, annotations: { "snapshot.storage.kubernetes.io/is-default-class": value } } });
  expect(plan({ snapshot: noClassParts, classes: ["True", "1", "yes"].map(marked) }).step).toBe("problem");
});

test("a claim that is being deleted is still snapshotted while it is protected", () => {
  const finalizers = ["snapshot.storage.kubernetes.io/pvc-as-source-protection"];
  expect(plan({ claim: claimOf({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers } }) }).step).toBe("take");
});

test("the secret is resolved with the names of snapshot and content", () => {
  const parameters = secretKeys(`\${volumesnapshot.name}-\${volumesnapshotcontent.name}`, `\${volumesnapshot.namespace}`);
  expect(plan({ classes: [classOf(parameters)] })).toMatchObject({
    content: { secret: { name: `backup-${bound}`, namespace: "default" } },
  });
});

test("the volume mode is not noted with --prevent-volume-mode-conversion=false", () => {
  expect(plan({ notesVolumeMode: false })).toMatchObject({ content: { volumeMode: undefined } });
});

test("the node of the volume is noted, and that there is none", () => {
  expect(plan({ node: { name: "node-1" } })).toMatchObject({ content: { node: "node-1" }, lacksNode: false });
  expect(plan({ node: "none" })).toMatchObject({ content: { node: undefined }, lacksNode: true });
});

test("a content that is there needs no class any more", () => {
  expect(plan({ classes: [], contents: [contentOf()] })).toMatchObject({
    step: "sync",
    bind: undefined,
    status: { boundVolumeSnapshotContentName: bound, readyToUse: false },
  });
});

test("a ready snapshot is left alone, also without class and claim", () => {
  const made = plan({
    snapshot: { status: ready },
    classes: [],
    claim: "missing",
    contents: [contentOf({ status: { readyToUse: false } })],
  });
  expect(made).toMatchObject({ step: "sync", status: undefined, bind: undefined });
});

test("an error in a ready snapshot is over when its content has none", () => {
  const failed = { ...ready, error: { message: "Failed to get snapshot class" } };
  const made = (content: V1VolumeSnapshotContent) => plan({ snapshot: { status: failed }, contents: [content] });
  expect(made(contentOf())).toMatchObject({ step: "sync", status: { error: undefined } });
  const still = made(contentOf({ status: { error: { message: "x" } } }));
  expect(still.step === "sync" && still.status).toBeUndefined();
});

test("the bound finalizer is for contents that are deleted with their snapshot", () => {
  const asSource = "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection";
  const held = "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection";
  expect(plan({ contents: [contentOf()] })).toMatchObject({ finalizers: [asSource, held] });
  expect(plan({ contents: [contentOf({ spec: { deletionPolicy: "Retain" } })] })).toMatchObject({ finalizers: [asSource] });
  const member = { metadata: { ownerReferences: [groupOwner()] }, status: { boundVolumeSnapshotContentName: bound } };
  expect(plan({ snapshot: member, contents: [contentOf()] })).toMatchObject({ finalizers: [asSource] });
});

test.each([
  ["no uid, no class", {}, {}, { uid: "uid-of-backup" }],
  ["no uid, a class", { volumeSnapshotClassName: "gold" }, {}, { uid: "uid-of-backup", className: "gold" }],
  ["another class", { volumeSnapshotClassName: "gold" }, { volumeSnapshotClassName: "x" }, { uid: "uid-of-backup", className: "gold" }],
  ["bound without class", {}, { volumeSnapshotRef: { ...otherRef.volumeSnapshotRef, uid: "uid-of-backup" } }, undefined],
  [
    "bound, with another class",
    { volumeSnapshotClassName: "gold" },
    { volumeSnapshotRef: { ...otherRef.volumeSnapshotRef, uid: "uid-of-backup" }, volumeSnapshotClassName: "x" },
    undefined,
  ],
] as const)("a pre-provisioned content is bound: %s", (_, spec, contentSpec, bind) => {
  const snapshot = preProvisioned("existing", { spec: { volumeSnapshotClassName: undefined as never, ...spec } });
  const made = plan({ snapshot, contents: [existingContent({ spec: contentSpec })] });
  expect(made.step === "sync" && made.bind).toEqual(bind);
});

test("a member of a group waits for the group to write it, whichever version the owner has", () => {
  for (const apiVersion of ["groupsnapshot.storage.k8s.io/v1", "groupsnapshot.storage.k8s.io/v1beta1"]) {
    expect(plan({ snapshot: { metadata: { ownerReferences: [groupOwner(apiVersion)] } } })).toEqual({ step: "waitForGroup" });
  }
  expect(plan({ snapshot: { metadata: { ownerReferences: [groupOwner("other.k8s.io/v1")] } } }).step).toBe("take");
});

test("the group's name is filled in as soon as groups are read, and left out where there are none", () => {
  const contents = [contentOf({ status: { readyToUse: true, volumeGroupSnapshotHandle: "group-1" } })];
  expect(plan({ contents, group: { name: "all" } })).toMatchObject({ status: { volumeGroupSnapshotName: "all", readyToUse: true } });
  expect(plan({ contents, group: "not yet read" })).toEqual({ step: "waitForGroup" });
  expect(plan({ contents, group: "no groups" })).toMatchObject({ step: "sync", status: { readyToUse: true } });
});
