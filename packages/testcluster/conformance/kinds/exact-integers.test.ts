import { expect, test } from "bun:test";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { readAndUpdate } from "@csi-sidecars/controller";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import {
  fields,
  InformerFactory,
  type Int64,
  jsonPatch,
  mergePatch,
  type V1VolumeGroupSnapshotContent,
  type V1VolumeSnapshotContent,
  VolumeGroupSnapshotContent,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { follow } from "../testing/steps.ts";

const file = fileCluster(() => startCluster({ definitions: snapshotDefinitions }));
const contents = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotcontents";
const nanoseconds = 1_700_000_000_123_456_789n;

const content = (name: string): V1VolumeSnapshotContent => ({
  apiVersion: "snapshot.storage.k8s.io/v1",
  kind: "VolumeSnapshotContent",
  metadata: { name },
  spec: {
    deletionPolicy: "Delete",
    driver: "d",
    source: { volumeHandle: "v" },
    volumeSnapshotRef: { name: "s", namespace: "default" },
  },
});

/** A content whose snapshot was taken at that time. */
async function taken(name: string, creationTime: Int64 = nanoseconds): Promise<V1VolumeSnapshotContent> {
  await file.cluster.admin.create(VolumeSnapshotContent, content(name));
  return file.cluster.admin.patch(VolumeSnapshotContent, { name }, mergePatch({ status: { creationTime } }), { subresource: "status" });
}

const read = async (name: string) => (await file.cluster.admin.get(VolumeSnapshotContent, { name })).status?.creationTime;

test("the answer to a write, a get, a list and a watch have all digits", async () => {
  const { admin } = file.cluster;
  const { resourceVersion = "" } = (await admin.list(VolumeSnapshotContent)).metadata;
  expect((await taken("answers")).status?.creationTime).toBe(nanoseconds);
  expect(await read("answers")).toBe(nanoseconds);
  const listed = (await admin.list(VolumeSnapshotContent)).items.find(({ metadata }) => metadata?.name === "answers");
  expect(listed?.status?.creationTime).toBe(nanoseconds);
  for await (const { type, object } of await admin.watch(VolumeSnapshotContent, { resourceVersion, timeoutSeconds: 30 })) {
    if (type !== "MODIFIED" || object.metadata?.name !== "answers") continue;
    expect(object.status?.creationTime).toBe(nanoseconds);
    break;
  }
});

test.each<[Int64, Int64]>([
  [0, 0],
  [5n, 5],
  [2 ** 53 - 1, 2 ** 53 - 1],
  [2n ** 53n, 2n ** 53n],
  [2n ** 63n - 1n, 2n ** 63n - 1n],
  [-(2n ** 63n), -(2n ** 63n)],
])("%p is read as %p", async (written, expected) => {
  await taken(`value${written}`.replace("-", "-minus-"), written);
  expect(await read(`value${written}`.replace("-", "-minus-"))).toBe(expected);
});

test("a read, a change and an update of the whole object do not round", async () => {
  await taken("updated");
  const change = (fresh: V1VolumeSnapshotContent) => ({ ...fresh, metadata: { ...fresh.metadata, labels: { a: "b" } } });
  const updated = await readAndUpdate(file.cluster.admin, VolumeSnapshotContent, { name: "updated" }, change, {});
  expect([updated.metadata?.labels?.a, updated.status?.creationTime]).toEqual(["b", nanoseconds]);
  const status = { ...updated.status, readyToUse: true };
  await file.cluster.admin.update(VolumeSnapshotContent, { ...updated, status }, { subresource: "status" });
  expect(await read("updated")).toBe(nanoseconds);
});

test("a patch of something else does not round, and a test in a JSON patch compares all digits", async () => {
  await taken("patched");
  const patch = (value: Int64) =>
    jsonPatch([
      { op: "test", path: "/status/creationTime", value },
      { op: "add", path: "/status/readyToUse", value: true },
    ]);
  const status = { subresource: "status" } as const;
  const apply = (value: Int64) => file.cluster.admin.patch(VolumeSnapshotContent, { name: "patched" }, patch(value), status);
  expect(apply(nanoseconds + 1n)).rejects.toThrow("the server rejected our request due to an error in our request");
  expect((await apply(nanoseconds)).status).toEqual({ creationTime: nanoseconds, readyToUse: true });
  await file.cluster.admin.patch(VolumeSnapshotContent, { name: "patched" }, mergePatch({ metadata: { labels: { a: "b" } } }));
  expect(await read("patched")).toBe(nanoseconds);
});

test("a write that changes the last digit is a change, the same value is none", async () => {
  const first = await taken("compared");
  const write = (creationTime: Int64) =>
    file.cluster.admin.patch(VolumeSnapshotContent, { name: "compared" }, mergePatch({ status: { creationTime } }), {
      subresource: "status",
    });
  expect((await write(nanoseconds)).metadata?.resourceVersion).toBe(first.metadata?.resourceVersion ?? "");
  expect((await write(nanoseconds + 1n)).status?.creationTime).toBe(nanoseconds + 1n);
});

test("a cache keeps all digits, in lists of objects too", async () => {
  const group: V1VolumeGroupSnapshotContent = {
    metadata: { name: "cached" },
    spec: {
      deletionPolicy: "Delete",
      driver: "d",
      source: { volumeHandles: ["v"] },
      volumeGroupSnapshotRef: { name: "s", namespace: "default" },
    },
  };
  const { admin } = file.cluster;
  await admin.create(VolumeGroupSnapshotContent, group);
  const info = { creationTime: nanoseconds, readyToUse: true, restoreSize: 1, snapshotHandle: "s", volumeHandle: "v" };
  const list = { volumeSnapshotInfoList: [info, { ...info, creationTime: nanoseconds + 1n }] };
  await admin.patch(VolumeGroupSnapshotContent, { name: "cached" }, mergePatch({ status: list }), { subresource: "status" });
  await taken("cached");

  const informers = new InformerFactory({ client: admin, clock: systemClock, log: silentLogger });
  const groups = informers.forFields(fields(VolumeGroupSnapshotContent, { status: { volumeSnapshotInfoList: true } }));
  const singles = informers.forFields(fields(VolumeSnapshotContent, { status: true }));
  const stop = new AbortController();
  informers.start(stop.signal);
  await informers.waitForSync();
  expect(groups.get("cached")?.status).toEqual(list);
  expect(singles.get("cached")?.status?.creationTime).toBe(nanoseconds);
  stop.abort();
});

const invalid = '422 Invalid: VolumeSnapshotContent.snapshot.storage.k8s.io "refused" is invalid: ';
const more =
  "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
const float = 'status.creationTime: Invalid value: "float64": creationTime in body must be of type int64: "float64"';
const tooBig = 'status: Invalid value: "": Checked value must be of type integer with format int64 in creationTime';
test.each<[what: string, status: object | string, said: string]>([
  [
    "an integer below the minimum",
    { restoreSize: -(2n ** 53n) - 1n },
    "status.restoreSize: Invalid value: -9007199254740993: restoreSize in body should be greater than or equal to 0",
  ],
  ["an integer of 65 bits", '{"creationTime":9223372036854775808}', `[${float}, ${tooBig}, ${more}]`],
  ["an integer of 100 digits", `{"creationTime":1${"0".repeat(99)}}`, `[${float}, ${tooBig}, ${more}]`],
  ["a fraction", '{"creationTime":1700000000123456789.5}', `[${float}, ${more}]`],
  ["an exponent", '{"creationTime":1.7e18}', `[${float}, ${more}]`],
  [
    "a text",
    { creationTime: String(nanoseconds) },
    `[status.creationTime: Invalid value: "string": creationTime in body must be of type integer: "string", ${more}]`,
  ],
])("%s is refused", async (_, status, why) => {
  await file.admin.post(contents, content("refused"));
  const body = typeof status === "string" ? `{"status":${status}}` : { status };
  await follow(file.admin, [[`MERGE ${contents}/refused/status`, body, invalid + why]]);
});

test("a table and its objects show all digits", async () => {
  await taken("shown");
  const size = { status: { restoreSize: nanoseconds } };
  await file.cluster.admin.patch(VolumeSnapshotContent, { name: "shown" }, mergePatch(size), { subresource: "status" });
  const table = await file.admin.accepting("application/json;as=Table;v=v1;g=meta.k8s.io").get(`${contents}/shown?includeObject=Object`);
  expect(table.body.rows[0].cells[2]).toBe(nanoseconds);
  expect(table.body.rows[0].object.status).toEqual({ creationTime: nanoseconds, restoreSize: nanoseconds });
});
