import { expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { send } from "../testing/steps.ts";
import * as of from "./testing/snapshot-objects.ts";
import { type Members, merged, objectOf, outcome, type SnapshotKind, unchecked } from "./testing/snapshot-objects.ts";

const file = fileCluster(() => startCluster({ definitions: snapshotDefinitions }));

interface Change {
  readonly kind: SnapshotKind;
  /** What the object is before, in place of the usual one. */
  readonly before?: Members;
  readonly change: Members;
  /** Errors in the versions that have the rule; none: it is accepted. */
  readonly errors: readonly string[];
  /** Whether v1beta1 accepts it. */
  readonly newRule?: true;
}

const invalid = (field: string, message: string) => `${field}: Invalid value: ${message}`;
const same = (field: string, value: string, message: string) => [invalid(field, `"${value}": ${message}`)];
const oneOf = {
  claim: invalid("spec.source", "exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set"),
  handle: invalid("spec.source", "exactly one of volumeHandle and snapshotHandle must be set"),
  selector: invalid("spec.source", "exactly one of selector and volumeGroupSnapshotContentName must be set"),
  handles: invalid("spec.source", "exactly one of volumeHandles and groupSnapshotHandles must be set"),
};
const source = (members: Members) => ({ spec: { source: members } });
const groupHandles = { volumeGroupSnapshotHandle: "g", volumeSnapshotHandles: ["h"] };
const fromContent = source({ persistentVolumeClaimName: null, volumeSnapshotContentName: "c" });
const fromHandle = source({ volumeHandle: null, snapshotHandle: "h" });
const fromGroupContent = source({ selector: null, volumeGroupSnapshotContentName: "c" });
const fromGroupHandles = source({ volumeHandles: null, groupSnapshotHandles: groupHandles });
const nameOfGroup = invalid(
  "spec.volumeGroupSnapshotRef",
  "volumeGroupSnapshotRef.name and volumeGroupSnapshotRef.namespace are immutable",
);
const uidOfGroup = invalid("spec.volumeGroupSnapshotRef", "volumeGroupSnapshotRef.uid is immutable once set");

const changes: Readonly<Record<string, Change>> = {
  "VS: another claim": {
    kind: of.snapshots,
    change: source({ persistentVolumeClaimName: "d" }),
    errors: same("spec.source.persistentVolumeClaimName", "d", "persistentVolumeClaimName is immutable"),
  },
  "VS: no claim": {
    kind: of.snapshots,
    change: source({ persistentVolumeClaimName: null }),
    errors: [invalid("spec.source", "persistentVolumeClaimName is required once set"), oneOf.claim],
  },
  "VS: a content instead": {
    kind: of.snapshots,
    change: fromContent,
    errors: [invalid("spec.source", "persistentVolumeClaimName is required once set")],
  },
  "VS: a content too": { kind: of.snapshots, change: source({ volumeSnapshotContentName: "c" }), errors: [oneOf.claim] },
  "VS: another content": {
    kind: of.snapshots,
    before: fromContent,
    change: source({ volumeSnapshotContentName: "d" }),
    errors: same("spec.source.volumeSnapshotContentName", "d", "volumeSnapshotContentName is immutable"),
  },
  "VS: a claim instead": {
    kind: of.snapshots,
    before: fromContent,
    change: source({ volumeSnapshotContentName: null, persistentVolumeClaimName: "c" }),
    errors: [invalid("spec.source", "volumeSnapshotContentName is required once set")],
  },
  "VS: the empty class": {
    kind: of.snapshots,
    change: { spec: { volumeSnapshotClassName: "" } },
    errors: same("spec.volumeSnapshotClassName", "", "volumeSnapshotClassName must not be the empty string when set"),
  },
  "VS: another class": { kind: of.snapshots, change: { spec: { volumeSnapshotClassName: "l" } }, errors: [] },
  "VS: no class": { kind: of.snapshots, change: { spec: { volumeSnapshotClassName: null } }, errors: [] },
  "VS: a class": {
    kind: of.snapshots,
    before: { spec: { volumeSnapshotClassName: null } },
    change: { spec: { volumeSnapshotClassName: "l" } },
    errors: [],
  },
  "VS: another content bound": { kind: of.snapshots, change: { status: { boundVolumeSnapshotContentName: "c" } }, errors: [] },
  "VS: no content bound": { kind: of.snapshots, change: { status: { boundVolumeSnapshotContentName: null } }, errors: [] },
  "VS: a size in bytes": { kind: of.snapshots, change: { status: { restoreSize: 1_073_741_824 } }, errors: [] },
  "VS: no size": {
    kind: of.snapshots,
    change: { status: { restoreSize: "big" } },
    errors: [
      "status.restoreSize: Invalid value: \"big\": restoreSize in body should match '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'",
    ],
  },
  "VS: nanoseconds for a time": {
    kind: of.snapshots,
    change: { status: { creationTime: 1_700_000_000_123_456_789n } },
    errors: [unchecked, 'status.creationTime: Invalid value: "int64": creationTime in body must be of type date-time: "int64"'],
  },
  "VS: a flag for a time": {
    kind: of.snapshots,
    change: { status: { creationTime: true } },
    errors: [unchecked, 'status.creationTime: Invalid value: "": creationTime in body must be of type date-time: ""'],
  },
  "VSC: a flag for a time": {
    kind: of.contents,
    change: { status: { creationTime: true } },
    errors: [unchecked, 'status.creationTime: Invalid value: "": creationTime in body must be of type int64: ""'],
  },
  "VSC: an object for a time": {
    kind: of.contents,
    change: { status: { creationTime: { s: 1 } } },
    errors: [unchecked, 'status.creationTime: Invalid value: "": creationTime in body must be of type int64: ""'],
  },
  "VS: an error": { kind: of.snapshots, change: { status: { error: { message: "m", time: "2026-01-02T03:04:05Z" } } }, errors: [] },
  "VSC: another volume": {
    kind: of.contents,
    change: source({ volumeHandle: "w" }),
    errors: same("spec.source.volumeHandle", "w", "volumeHandle is immutable"),
  },
  "VSC: no volume": {
    kind: of.contents,
    change: source({ volumeHandle: null }),
    errors: [invalid("spec.source", "volumeHandle is required once set"), oneOf.handle],
  },
  "VSC: a snapshot too": { kind: of.contents, change: source({ snapshotHandle: "h" }), errors: [oneOf.handle] },
  "VSC: another snapshot": {
    kind: of.contents,
    before: fromHandle,
    change: source({ snapshotHandle: "i" }),
    errors: same("spec.source.snapshotHandle", "i", "snapshotHandle is immutable"),
  },
  "VSC: a volume instead": {
    kind: of.contents,
    before: fromHandle,
    change: source({ snapshotHandle: null, volumeHandle: "v" }),
    errors: [invalid("spec.source", "snapshotHandle is required once set")],
  },
  "VSC: another mode": {
    kind: of.contents,
    change: { spec: { sourceVolumeMode: "Filesystem" } },
    errors: same("spec.sourceVolumeMode", "Filesystem", "sourceVolumeMode is immutable"),
  },
  "VSC: no mode": {
    kind: of.contents,
    change: { spec: { sourceVolumeMode: null } },
    errors: [invalid("spec", "sourceVolumeMode is required once set")],
  },
  "VSC: a mode": {
    kind: of.contents,
    before: { spec: { sourceVolumeMode: null } },
    change: { spec: { sourceVolumeMode: "Filesystem" } },
    errors: [],
  },
  "VSC: policy, driver and class": {
    kind: of.contents,
    change: { spec: { deletionPolicy: "Retain", driver: "e", volumeSnapshotClassName: "" } },
    errors: [],
  },
  "VSC: another snapshot bound": { kind: of.contents, change: { spec: { volumeSnapshotRef: { name: "t", uid: "u" } } }, errors: [] },
  "VSC: a snapshot without namespace": {
    kind: of.contents,
    change: { spec: { volumeSnapshotRef: { namespace: null } } },
    errors: [invalid("spec.volumeSnapshotRef", "both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set")],
  },
  "VSC: a negative size": {
    kind: of.contents,
    change: { status: { restoreSize: -1 } },
    errors: ["status.restoreSize: Invalid value: -1: restoreSize in body should be greater than or equal to 0"],
  },
  "VSC: another handle, time and group": {
    kind: of.contents,
    change: { status: { snapshotHandle: "i", creationTime: 1_700_000_000_123_456_790n, volumeGroupSnapshotHandle: "g" } },
    errors: [],
  },
  "class: all of it": { kind: of.classes, change: { driver: "e", deletionPolicy: "Retain", parameters: { c: "d" } }, errors: [] },
  "VGS: another selector": {
    kind: of.groupSnapshots,
    change: source({ selector: { matchLabels: { a: "c" } } }),
    errors: [invalid("spec.source.selector", "selector is immutable")],
  },
  "VGS: a label more in the selector": {
    kind: of.groupSnapshots,
    change: source({ selector: { matchLabels: { c: "d" } } }),
    errors: [invalid("spec.source.selector", "selector is immutable")],
  },
  "VGS: no selector": {
    kind: of.groupSnapshots,
    change: source({ selector: null }),
    errors: [invalid("spec.source", "selector is required once set"), oneOf.selector],
  },
  "VGS: a content too": {
    kind: of.groupSnapshots,
    change: source({ volumeGroupSnapshotContentName: "c" }),
    errors: [oneOf.selector],
  },
  "VGS: another content": {
    kind: of.groupSnapshots,
    before: fromGroupContent,
    change: source({ volumeGroupSnapshotContentName: "d" }),
    errors: same("spec.source.volumeGroupSnapshotContentName", "d", "volumeGroupSnapshotContentName is immutable"),
  },
  "VGS: a selector instead": {
    kind: of.groupSnapshots,
    before: fromGroupContent,
    change: source({ volumeGroupSnapshotContentName: null, selector: {} }),
    errors: [invalid("spec.source", "volumeGroupSnapshotContentName is required once set")],
  },
  "VGS: another class": { kind: of.groupSnapshots, change: { spec: { volumeGroupSnapshotClassName: "l" } }, errors: [] },
  "VGS: another content bound": {
    kind: of.groupSnapshots,
    change: { status: { boundVolumeGroupSnapshotContentName: "c" } },
    errors: same("status.boundVolumeGroupSnapshotContentName", "c", "boundVolumeGroupSnapshotContentName is immutable once set"),
    newRule: true,
  },
  "VGS: no content bound": { kind: of.groupSnapshots, change: { status: { boundVolumeGroupSnapshotContentName: null } }, errors: [] },
  "VGSC: other volumes": {
    kind: of.groupContents,
    change: source({ volumeHandles: ["v"] }),
    errors: [invalid("spec.source.volumeHandles", "volumeHandles is immutable")],
  },
  "VGSC: the volumes in another order": {
    kind: of.groupContents,
    change: source({ volumeHandles: ["w", "v"] }),
    errors: [invalid("spec.source.volumeHandles", "volumeHandles is immutable")],
  },
  "VGSC: no volumes": {
    kind: of.groupContents,
    change: source({ volumeHandles: null }),
    errors: [invalid("spec.source", "volumeHandles is required once set"), oneOf.handles],
  },
  "VGSC: handles too": { kind: of.groupContents, change: source({ groupSnapshotHandles: groupHandles }), errors: [oneOf.handles] },
  "VGSC: other handles": {
    kind: of.groupContents,
    before: fromGroupHandles,
    change: source({ groupSnapshotHandles: { volumeSnapshotHandles: [] } }),
    errors: [invalid("spec.source.groupSnapshotHandles", "groupSnapshotHandles is immutable")],
  },
  "VGSC: volumes instead": {
    kind: of.groupContents,
    before: fromGroupHandles,
    change: source({ groupSnapshotHandles: null, volumeHandles: [] }),
    errors: [invalid("spec.source", "groupSnapshotHandles is required once set")],
  },
  "VGSC: another policy": { kind: of.groupContents, change: { spec: { deletionPolicy: "Retain" } }, errors: [] },
  "VGSC: another driver": {
    kind: of.groupContents,
    change: { spec: { driver: "e" } },
    errors: same("spec.driver", "e", "driver is immutable once set"),
    newRule: true,
  },
  "VGSC: another class": {
    kind: of.groupContents,
    change: { spec: { volumeGroupSnapshotClassName: "l" } },
    errors: same("spec.volumeGroupSnapshotClassName", "l", "volumeGroupSnapshotClassName is immutable once set"),
    newRule: true,
  },
  "VGSC: no class": { kind: of.groupContents, change: { spec: { volumeGroupSnapshotClassName: null } }, errors: [] },
  "VGSC: a class": {
    kind: of.groupContents,
    before: { spec: { volumeGroupSnapshotClassName: null } },
    change: { spec: { volumeGroupSnapshotClassName: "l" } },
    errors: [],
  },
  "VGSC: another group": {
    kind: of.groupContents,
    change: { spec: { volumeGroupSnapshotRef: { name: "t" } } },
    errors: [nameOfGroup],
    newRule: true,
  },
  "VGSC: a group of another namespace": {
    kind: of.groupContents,
    change: { spec: { volumeGroupSnapshotRef: { namespace: "t" } } },
    errors: [nameOfGroup],
    newRule: true,
  },
  "VGSC: another uid": {
    kind: of.groupContents,
    change: { spec: { volumeGroupSnapshotRef: { uid: "w" } } },
    errors: [uidOfGroup],
    newRule: true,
  },
  "VGSC: no uid": {
    kind: of.groupContents,
    change: { spec: { volumeGroupSnapshotRef: { uid: null } } },
    errors: [uidOfGroup],
    newRule: true,
  },
  "VGSC: a uid": {
    kind: of.groupContents,
    before: { spec: { volumeGroupSnapshotRef: { uid: null } } },
    change: { spec: { volumeGroupSnapshotRef: { uid: "w" } } },
    errors: [],
  },
  "VGSC: driver and class": {
    kind: of.groupContents,
    change: { spec: { driver: "e", volumeGroupSnapshotClassName: "l" } },
    errors: [
      ...same("spec.driver", "e", "driver is immutable once set"),
      ...same("spec.volumeGroupSnapshotClassName", "l", "volumeGroupSnapshotClassName is immutable once set"),
    ],
    newRule: true,
  },
  "VGSC: another handle": {
    kind: of.groupContents,
    change: { status: { volumeGroupSnapshotHandle: "h" } },
    errors: same("status.volumeGroupSnapshotHandle", "h", "volumeGroupSnapshotHandle is immutable once set"),
    newRule: true,
  },
  "VGSC: no handle": { kind: of.groupContents, change: { status: { volumeGroupSnapshotHandle: null } }, errors: [] },
  "group class: another driver": {
    kind: of.groupClasses,
    change: { driver: "e" },
    errors: same("driver", "e", "driver is immutable once set"),
    newRule: true,
  },
  "group class: another policy": {
    kind: of.groupClasses,
    change: { deletionPolicy: "Retain" },
    errors: same("deletionPolicy", "Retain", "deletionPolicy is immutable once set"),
    newRule: true,
  },
  "group class: a parameter more": {
    kind: of.groupClasses,
    change: { parameters: { c: "d" } },
    errors: [invalid("parameters", "parameters are immutable once set")],
    newRule: true,
  },
  "group class: no parameters": { kind: of.groupClasses, change: { parameters: null }, errors: [] },
  "group class: parameters": { kind: of.groupClasses, before: { parameters: null }, change: { parameters: { c: "d" } }, errors: [] },
  "group class: the default": {
    kind: of.groupClasses,
    change: { metadata: { annotations: { "groupsnapshot.storage.kubernetes.io/is-default-class": "true" } } },
    errors: [],
  },
};

const cases = Object.entries(changes).flatMap(([what, change]) => change.kind.versions.map((version) => [what, version, change] as const));

test.each(cases)("%s in %s", async (what, version, { kind, before = {}, change, errors, newRule }) => {
  const name = `${what.toLowerCase().replace(/[^a-z]+/g, "-")}-${version}`;
  const path = kind.path(version);
  await done(send(file.admin, `POST ${path}`, objectOf(kind, version, name, before)));
  if (kind.status) await done(send(file.admin, `MERGE ${path}/${name}/status`, { status: kind.status }));
  const target = "status" in change ? `${path}/${name}/status` : `${path}/${name}`;
  const expected = errors.length === 0 || (newRule && version === "v1beta1") ? "200" : errors;

  const patched = await send(file.admin, `MERGE ${target}?dryRun=All`, change);
  expect(outcome(patched)).toEqual(expected);
  // A PUT of the same object is judged alike.
  const { body: current } = await file.admin.get(`${path}/${name}`);
  const wanted = merged(current, change);
  expect(outcome(await file.admin.put(target, wanted))).toEqual(expected);
  const { body: stored } = await file.admin.get(`${path}/${name}`);
  const { resourceVersion: _version, managedFields: _managers, generation: _generation, ...metadata } = stored.metadata;
  const { resourceVersion: _before, managedFields: _old, generation: _first, ...usual } = (expected === "200" ? wanted : current).metadata;
  expect({ ...stored, metadata }).toEqual({ ...(expected === "200" ? wanted : current), metadata: usual });
});

async function done(answer: ReturnType<typeof send>): Promise<void> {
  const { code, body } = await answer;
  if (code >= 300) throw new Error(body.message);
}
