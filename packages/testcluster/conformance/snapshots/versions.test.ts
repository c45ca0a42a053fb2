import { expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { follow, withoutVolatile } from "../testing/steps.ts";
import * as of from "./testing/snapshot-objects.ts";
import { objectOf } from "./testing/snapshot-objects.ts";

const file = fileCluster(() => startCluster({ definitions: snapshotDefinitions }));

const { path } = of.groupContents;
const info = { creationTime: 1_700_000_000_123_456_789n, readyToUse: true, restoreSize: 5, snapshotHandle: "s", volumeHandle: "v" };
const pair = { snapshotHandle: "s", volumeHandle: "v" };
const status = { ...of.groupContents.status, volumeSnapshotInfoList: [info] };

/** A group content with an info list, written through v1. */
async function written(name: string): Promise<void> {
  await follow(file.admin, [
    [`POST ${path("v1")}`, objectOf(of.groupContents, "v1", name), "201"],
    [`MERGE ${path("v1")}/${name}/status`, { status }, "200", { status: withoutVolatile(status) }],
  ]);
}

test("v1 and v1beta2 show the same object", async () => {
  await written("same");
  const [v1, v1beta2] = await Promise.all(["v1", "v1beta2"].map(async (version) => (await file.admin.get(`${path(version)}/same`)).body));
  expect(v1.status).toEqual(status);
  expect({ ...v1, metadata: { ...v1.metadata, managedFields: [] }, apiVersion: v1beta2.apiVersion }).toEqual({
    ...v1beta2,
    metadata: { ...v1beta2.metadata, managedFields: [] },
  });
});

test("without conversion, v1beta1 shows neither list, in whatever way it is read", async () => {
  await written("hidden");
  const shown = (object: { apiVersion: string; status: object }) => [object.apiVersion, object.status];
  const expected = ["groupsnapshot.storage.k8s.io/v1beta1", of.groupContents.status ?? {}];
  expect(shown((await file.admin.get(`${path("v1beta1")}/hidden`)).body)).toEqual(expected);
  const { body: list } = await file.admin.get(`${path("v1beta1")}?fieldSelector=metadata.name%3Dhidden`);
  expect(list.items.map(shown)).toEqual([expected]);
  await using watch = await file.admin.watch(`${path("v1beta1")}?watch=1&fieldSelector=metadata.name%3Dhidden&resourceVersion=0`);
  expect(shown((await watch.next()).object)).toEqual(expected);
});

test("a label written through v1beta1 removes the info list from what is stored", async () => {
  await written("lost");
  await follow(file.admin, [
    [`GET ${path("v1")}/lost`, undefined, "200", { "status.volumeSnapshotInfoList": [info] }],
    [`MERGE ${path("v1beta1")}/lost`, { metadata: { labels: { a: "b" } } }, "200", { "metadata.labels": { a: "b" } }],
    [`GET ${path("v1")}/lost`, undefined, "200", { "status.volumeSnapshotInfoList": undefined, "status.readyToUse": true }],
  ]);
});

test("the pairs of v1beta1 are not stored: the version that is does not have them", async () => {
  await follow(file.admin, [
    [`POST ${path("v1beta1")}`, objectOf(of.groupContents, "v1beta1", "pairs"), "201"],
    [`MERGE ${path("v1beta1")}/pairs/status`, { status: { volumeSnapshotHandlePairList: [pair], volumeSnapshotInfoList: [info] } }, "200"],
    [`GET ${path("v1beta1")}/pairs`, undefined, "200", { status: {} }],
    [`GET ${path("v1")}/pairs`, undefined, "200", { status: {} }],
  ]);
});

test("half a pair is refused", async () => {
  await follow(file.admin, [
    [`POST ${path("v1beta1")}`, objectOf(of.groupContents, "v1beta1", "half"), "201"],
    [
      `MERGE ${path("v1beta1")}/half/status`,
      { status: { volumeSnapshotHandlePairList: [{ volumeHandle: "v" }] } },
      '422 Invalid: VolumeGroupSnapshotContent.groupsnapshot.storage.k8s.io "half" is invalid: [status.volumeSnapshotHandlePairList[0].snapshotHandle: Required value, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
    ],
  ]);
});

test("what v1 forbids can be done through v1beta1, and v1 shows it", async () => {
  const classes = of.groupClasses.path;
  await follow(file.admin, [
    [`POST ${classes("v1")}`, objectOf(of.groupClasses, "v1", "changed"), "201"],
    [`MERGE ${classes("v1beta1")}/changed`, { driver: "e" }, "200"],
    [`GET ${classes("v1")}/changed`, undefined, "200", { driver: "e" }],
  ]);
});

test.each([of.groupSnapshots, of.groupContents, of.groupClasses].map((kind) => [kind.kind, kind] as const))(
  "v1beta1 of %s warns of its end, the others do not",
  async (_, { kind, group, path: at }) => {
    const warning = async (version: string) => (await file.admin.get(at(version))).headers.get("warning");
    expect(await warning("v1beta1")).toBe(`299 - "${group}/v1beta1 ${kind} is deprecated; use ${group}/v1 ${kind}"`);
    expect([await warning("v1"), await warning("v1beta2")]).toEqual([null, null]);
  },
);

test.each([of.snapshots, of.contents, of.classes].map((kind) => [kind.kind, kind] as const))(
  "v1beta1 of %s is no longer served",
  async (_, kind) => {
    await follow(file.admin, [[`GET ${kind.path("v1beta1")}`, undefined, "404 404 page not found"]]);
  },
);
