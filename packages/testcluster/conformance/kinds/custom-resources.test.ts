import { expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster({ definitions: snapshotDefinitions }));
const group = "/apis/snapshot.storage.k8s.io/v1";
const snapshots = `${group}/namespaces/default/volumesnapshots`;
const contents = `${group}/volumesnapshotcontents`;
const snapshotClasses = `${group}/volumesnapshotclasses`;
const groupSnapshots = (version: string) => `/apis/groupsnapshot.storage.k8s.io/${version}/namespaces/default/volumegroupsnapshots`;

const snapshot = (name: string, source: object = { persistentVolumeClaimName: "c" }, rest: object = {}) => ({
  apiVersion: "snapshot.storage.k8s.io/v1",
  kind: "VolumeSnapshot",
  metadata: { name },
  spec: { source, ...rest },
});
const content = (name: string, spec: object = {}) => ({
  apiVersion: "snapshot.storage.k8s.io/v1",
  kind: "VolumeSnapshotContent",
  metadata: { name },
  spec: {
    deletionPolicy: "Delete",
    driver: "d",
    source: { volumeHandle: "v" },
    volumeSnapshotRef: { name: "s", namespace: "default" },
    ...spec,
  },
});

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "a snapshot is created, pruned, and its status written apart",
    [
      [
        `POST ${snapshots}`,
        { ...snapshot("a", { persistentVolumeClaimName: "c", colour: "red" }), status: { readyToUse: true }, extra: 1 },
        "201",
        {
          "": {
            apiVersion: "snapshot.storage.k8s.io/v1",
            kind: "VolumeSnapshot",
            metadata: { creationTimestamp: "<time>", generation: 1, name: "a", namespace: "default", uid: "<uid>" },
            spec: { source: { persistentVolumeClaimName: "c" } },
          },
        },
      ],
      [`MERGE ${snapshots}/a`, { status: { readyToUse: true } }, "200", { status: undefined }],
      [
        `MERGE ${snapshots}/a/status`,
        { status: { readyToUse: false, restoreSize: "1Gi", colour: "red" }, metadata: { labels: { a: "b" }, annotations: { c: "d" } } },
        "200",
        { status: { readyToUse: false, restoreSize: "1Gi" }, "metadata.labels": undefined, "metadata.annotations": undefined },
      ],
      [
        `MERGE ${snapshots}/a/status`,
        { status: { error: { message: "m", time: "2026-01-02T03:04:05Z" } }, spec: { volumeSnapshotClassName: "x" } },
        "200",
        { "status.error": { message: "m", time: "<time>" }, "spec.volumeSnapshotClassName": undefined },
      ],
      [
        `MERGE ${snapshots}/a/status`,
        { status: { error: { time: "yesterday" } } },
        '422 Invalid: VolumeSnapshot.snapshot.storage.k8s.io "a" is invalid: [status.error.time: Invalid value: "yesterday": error.time in body must be of type date-time: "yesterday", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
      ],
      [
        `MERGE ${snapshots}/a/status`,
        { status: { readyToUse: "yes" } },
        '422 Invalid: VolumeSnapshot.snapshot.storage.k8s.io "a" is invalid: [status.readyToUse: Invalid value: "string": readyToUse in body must be of type boolean: "string", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
      ],
      [
        `JSON ${snapshots}/a/status`,
        [{ op: "replace", path: "/status", value: { readyToUse: true, boundVolumeSnapshotContentName: "x" } }],
        "200",
        { status: { boundVolumeSnapshotContentName: "x", readyToUse: true } },
      ],
      [
        `STRATEGIC ${snapshots}/a`,
        {},
        "415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
      ],
      [
        `MERGE ${snapshots}/a`,
        { metadata: { resourceVersion: "1" } },
        '409 Conflict: Operation cannot be fulfilled on volumesnapshots.snapshot.storage.k8s.io "a": the object has been modified; please apply your changes to the latest version and try again',
      ],
      [
        `PUT ${snapshots}/a`,
        snapshot("a"),
        '422 Invalid: volumesnapshots.snapshot.storage.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ],
      [`GET ${snapshots}/a/status`, undefined, "200", { kind: "VolumeSnapshot" }],
    ],
  ],
  [
    "a snapshot is validated",
    [
      [
        `POST ${snapshots}`,
        snapshot("bad", {}),
        '422 Invalid: VolumeSnapshot.snapshot.storage.k8s.io "bad" is invalid: spec.source: Invalid value: exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set',
      ],
      [
        `POST ${snapshots}`,
        snapshot("bad", { persistentVolumeClaimName: "c", volumeSnapshotContentName: "d" }),
        '422 Invalid: VolumeSnapshot.snapshot.storage.k8s.io "bad" is invalid: spec.source: Invalid value: exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set',
      ],
      [
        `POST ${snapshots}`,
        { ...snapshot("bad"), spec: undefined },
        '422 Invalid: VolumeSnapshot.snapshot.storage.k8s.io "bad" is invalid: [spec: Required value, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
      ],
      [
        `POST ${snapshots}`,
        { ...snapshot("bad"), spec: {} },
        '422 Invalid: VolumeSnapshot.snapshot.storage.k8s.io "bad" is invalid: [spec.source: Required value, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
      ],
      [
        `POST ${snapshots}`,
        snapshot("bad", { persistentVolumeClaimName: 5 }),
        '422 Invalid: VolumeSnapshot.snapshot.storage.k8s.io "bad" is invalid: [spec.source.persistentVolumeClaimName: Invalid value: "integer": spec.source.persistentVolumeClaimName in body must be of type string: "integer", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
      ],
      [
        `POST ${snapshots}`,
        snapshot("bad", undefined, { volumeSnapshotClassName: "" }),
        '422 Invalid: VolumeSnapshot.snapshot.storage.k8s.io "bad" is invalid: spec.volumeSnapshotClassName: Invalid value: "": volumeSnapshotClassName must not be the empty string when set',
      ],
      [
        `POST ${snapshots}`,
        { ...snapshot("bad"), kind: "VolumeSnapshotContent" },
        '422 Invalid: VolumeSnapshotContent.snapshot.storage.k8s.io "bad" is invalid: kind: Invalid value: "VolumeSnapshotContent": must be VolumeSnapshot',
      ],
      [
        `POST ${snapshots}`,
        { ...snapshot("bad"), apiVersion: "snapshot.storage.k8s.io/v1beta1" },
        "400 BadRequest: the API version in the data (snapshot.storage.k8s.io/v1beta1) does not match the expected API version (snapshot.storage.k8s.io/v1)",
      ],
      [
        `POST ${snapshots}`,
        { metadata: { name: "bad" }, spec: { source: { persistentVolumeClaimName: "c" } } },
        '400 BadRequest: the object provided is unrecognized (must be of type VolumeSnapshot): Object \'Kind\' is missing in \'{"metadata":{"name":"bad"},"spec":{"source":{"persistentVolumeClaimName":"c"}}}\' ({"metadata":{"name":"bad"},"sp ...)',
      ],
      [
        `MERGE ${snapshots}/a`,
        { spec: { source: { persistentVolumeClaimName: "other" } } },
        '422 Invalid: VolumeSnapshot.snapshot.storage.k8s.io "a" is invalid: spec.source.persistentVolumeClaimName: Invalid value: "other": persistentVolumeClaimName is immutable',
      ],
      [
        `MERGE ${snapshots}/a`,
        { spec: { source: { persistentVolumeClaimName: null, volumeSnapshotContentName: "d" } } },
        '422 Invalid: VolumeSnapshot.snapshot.storage.k8s.io "a" is invalid: spec.source: Invalid value: persistentVolumeClaimName is required once set',
      ],
      [
        `MERGE ${snapshots}/a`,
        { spec: { volumeSnapshotClassName: "new" } },
        "200",
        { "spec.volumeSnapshotClassName": "new", "metadata.generation": 2 },
      ],
    ],
  ],
  [
    "contents and classes",
    [
      [
        `POST ${contents}`,
        content("c"),
        "201",
        {
          spec: {
            deletionPolicy: "Delete",
            driver: "d",
            source: { volumeHandle: "v" },
            volumeSnapshotRef: { name: "s", namespace: "default" },
          },
          status: undefined,
          "metadata.generation": 1,
        },
      ],
      [
        `POST ${contents}`,
        content("bad", { deletionPolicy: "Keep" }),
        '422 Invalid: VolumeSnapshotContent.snapshot.storage.k8s.io "bad" is invalid: [spec.deletionPolicy: Unsupported value: "Keep": supported values: "Delete", "Retain", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
      ],
      [
        `POST ${contents}`,
        content("bad", { volumeSnapshotRef: { name: "s" } }),
        '422 Invalid: VolumeSnapshotContent.snapshot.storage.k8s.io "bad" is invalid: spec.volumeSnapshotRef: Invalid value: both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set',
      ],
      [
        `POST ${contents}`,
        content("bad", { source: { volumeHandle: "v", snapshotHandle: "h" } }),
        '422 Invalid: VolumeSnapshotContent.snapshot.storage.k8s.io "bad" is invalid: spec.source: Invalid value: exactly one of volumeHandle and snapshotHandle must be set',
      ],
      [
        `MERGE ${contents}/c`,
        { spec: { source: { volumeHandle: "w" } } },
        '422 Invalid: VolumeSnapshotContent.snapshot.storage.k8s.io "c" is invalid: spec.source.volumeHandle: Invalid value: "w": volumeHandle is immutable',
      ],
      [
        `MERGE ${contents}/c`,
        { spec: { sourceVolumeMode: "Block" } },
        "200",
        { "spec.sourceVolumeMode": "Block", "metadata.generation": 2 },
      ],
      [
        `MERGE ${contents}/c`,
        { spec: { sourceVolumeMode: "Filesystem" } },
        '422 Invalid: VolumeSnapshotContent.snapshot.storage.k8s.io "c" is invalid: spec.sourceVolumeMode: Invalid value: "Filesystem": sourceVolumeMode is immutable',
      ],
      [
        `MERGE ${contents}/c/status`,
        { status: { snapshotHandle: "h", restoreSize: 5, creationTime: 1, readyToUse: true } },
        "200",
        { status: { creationTime: 1, readyToUse: true, restoreSize: 5, snapshotHandle: "h" }, "metadata.generation": 2 },
      ],
      [
        `MERGE ${contents}/c/status`,
        { status: { restoreSize: -1 } },
        '422 Invalid: VolumeSnapshotContent.snapshot.storage.k8s.io "c" is invalid: status.restoreSize: Invalid value: -1: restoreSize in body should be greater than or equal to 0',
      ],
      [
        `MERGE ${contents}/c/status`,
        { status: { restoreSize: "5Gi" } },
        '422 Invalid: VolumeSnapshotContent.snapshot.storage.k8s.io "c" is invalid: [status.restoreSize: Invalid value: "string": restoreSize in body must be of type integer: "string", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
      ],
      [
        `POST ${snapshotClasses}`,
        {
          apiVersion: "snapshot.storage.k8s.io/v1",
          kind: "VolumeSnapshotClass",
          metadata: { name: "k" },
          driver: "d",
          deletionPolicy: "Delete",
          parameters: { a: "b" },
        },
        "201",
        {
          "": {
            apiVersion: "snapshot.storage.k8s.io/v1",
            deletionPolicy: "Delete",
            driver: "d",
            kind: "VolumeSnapshotClass",
            metadata: { creationTimestamp: "<time>", generation: 1, name: "k", uid: "<uid>" },
            parameters: { a: "b" },
          },
        },
      ],
      [
        `POST ${snapshotClasses}`,
        { apiVersion: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshotClass", metadata: { name: "bad" }, driver: "d" },
        '422 Invalid: VolumeSnapshotClass.snapshot.storage.k8s.io "bad" is invalid: deletionPolicy: Required value',
      ],
      [`GET ${contents}/none`, undefined, '404 NotFound: volumesnapshotcontents.snapshot.storage.k8s.io "none" not found'],
    ],
  ],
  [
    "a content waits for its finalizers",
    [
      [
        `MERGE ${contents}/c`,
        { metadata: { finalizers: ["snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection"] } },
        "200",
        { "metadata.finalizers": ["snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection"] },
      ],
      [
        `DELETE ${contents}/c`,
        undefined,
        "200",
        { "metadata.deletionTimestamp": "<time>", "metadata.generation": 3, kind: "VolumeSnapshotContent" },
      ],
      [`JSON ${contents}/c`, [{ op: "remove", path: "/metadata/finalizers" }], "200"],
      [`GET ${contents}/c`, undefined, '404 NotFound: volumesnapshotcontents.snapshot.storage.k8s.io "c" not found'],
      [
        `DELETE ${snapshots}/a`,
        undefined,
        "200",
        {
          "": {
            kind: "Status",
            apiVersion: "v1",
            metadata: {},
            status: "Success",
            details: { name: "a", group: "snapshot.storage.k8s.io", kind: "volumesnapshots", uid: "<uid>" },
          },
        },
      ],
    ],
  ],
  [
    "versions of one kind",
    [
      [`GET ${group.replace("v1", "v1beta1")}/volumesnapshotcontents`, undefined, "404 404 page not found"],
      [
        `POST ${groupSnapshots("v1")}`,
        {
          apiVersion: "groupsnapshot.storage.k8s.io/v1",
          kind: "VolumeGroupSnapshot",
          metadata: { name: "g" },
          spec: { source: { selector: { matchLabels: { a: "b" } } } },
        },
        "201",
        { apiVersion: "groupsnapshot.storage.k8s.io/v1" },
      ],
      [
        `GET ${groupSnapshots("v1beta2")}/g`,
        undefined,
        "200",
        { apiVersion: "groupsnapshot.storage.k8s.io/v1beta2", "spec.source": { selector: { matchLabels: { a: "b" } } } },
      ],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));

test("custom kinds are discovered", async () => {
  const { body } = await file.admin.get(group);
  const entries = body.resources.map((entry: { name: string; namespaced: boolean; shortNames?: string[]; verbs: string[] }) =>
    [entry.name, entry.namespaced, ...(entry.shortNames ?? []), [...entry.verbs].sort().join(",")].join(" "),
  );
  const all = "create,delete,deletecollection,get,list,patch,update,watch";
  expect(entries.sort()).toEqual([
    `volumesnapshotclasses false vsclass vsclasses ${all}`,
    `volumesnapshotcontents false vsc vscs ${all}`,
    "volumesnapshotcontents/status false get,patch,update",
    `volumesnapshots true vs ${all}`,
    "volumesnapshots/status true get,patch,update",
  ]);
});

test("items of a list of custom objects say their kind, and are selected by name", async () => {
  await file.admin.post(snapshots, snapshot("listed"));
  const { body } = await file.admin.get(`${snapshots}?fieldSelector=metadata.name%3Dlisted`);
  expect([body.kind, body.items.length, body.items[0].kind, body.items[0].apiVersion]).toEqual([
    "VolumeSnapshotList",
    1,
    "VolumeSnapshot",
    "snapshot.storage.k8s.io/v1",
  ]);
  expect((await file.admin.get(`${snapshots}?fieldSelector=spec.x%3Dy`)).code).toBe(400);
});

test("an old version warns and names its successor", async () => {
  const { headers } = await file.admin.get(groupSnapshots("v1beta1"));
  const successor = "groupsnapshot.storage.k8s.io/v1 VolumeGroupSnapshot";
  expect(headers.get("warning")).toBe(`299 - "groupsnapshot.storage.k8s.io/v1beta1 VolumeGroupSnapshot is deprecated; use ${successor}"`);
  expect((await file.admin.get(groupSnapshots("v1"))).headers.get("warning")).toBeNull();
});
