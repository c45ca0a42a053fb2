import { beforeAll, describe, expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { installDefinitions } from "../../cluster/install-definitions.ts";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { classes, configMap, maps, nodes, storageClass } from "../testing/fixtures.ts";
import { outcomeOf, withoutVolatile } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const one = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const list = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const asking = (accept: string) => file.admin.accepting(accept);
/** How clients ask that also get along with a server which does not know the form. */
const partial = () => asking(`${one},application/json`);
const partialList = () => asking(`${list},application/json`);

const types = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" };
const metadata = { name: "a", namespace: "default", uid: "<uid>", creationTimestamp: "<time>", labels: { set: "s" } };
const mapPath = `${maps}/a`;

beforeAll(async () => {
  await file.admin.post(maps, configMap("a", { v: "1" }, { labels: { set: "s" } }));
  await file.admin.post(maps, configMap("b", { v: "1" }, { labels: { set: "s" } }));
  await file.admin.post(classes, storageClass("fast"));
});

describe("one object", () => {
  test("is read as its metadata, all of it", async () => {
    const { body, headers } = await partial().get(mapPath);
    expect(withoutVolatile(body)).toEqual({ ...types, metadata });
    expect(body.metadata).toEqual((await file.admin.get(mapPath)).body.metadata);
    expect(headers.get("content-type")).toBe("application/json");
  });

  test("is answered to writes in the same form; failures and deletions stay a Status", async () => {
    const created = await partial().post(maps, configMap("w", { v: "1" }));
    const patched = await partial().merge(`${maps}/w`, { data: { v: "2" } });
    expect([created.code, created.body.kind, created.body.data]).toEqual([201, types.kind, undefined]);
    expect([patched.code, patched.body.kind, patched.body.data]).toEqual([200, types.kind, undefined]);
    const deleted = await partial().delete(`${maps}/w`);
    const absent = await partial().get(`${maps}/w`);
    expect([deleted.body.kind, absent.body.kind, absent.code]).toEqual(["Status", "Status", 404]);
  });
});

describe("a list", () => {
  const items = (body: { items: readonly { kind: string; metadata: { name: string } }[] }) =>
    body.items.map(({ kind, metadata: { name } }) => `${kind} ${name}`);

  test("has items that say what they are", async () => {
    const { body } = await partialList().get(`${maps}?labelSelector=set%3Ds`);
    expect([body.kind, body.apiVersion, Object.keys(body.metadata)]).toEqual([
      "PartialObjectMetadataList",
      types.apiVersion,
      ["resourceVersion"],
    ]);
    expect(items(body)).toEqual(["PartialObjectMetadata a", "PartialObjectMetadata b"]);
    expect(withoutVolatile(body.items[0])).toEqual({ ...types, metadata });
  });

  test("comes in pages too", async () => {
    const first = (await partialList().get(`${maps}?limit=1&labelSelector=set%3Ds`)).body;
    const second = (await partialList().get(`${maps}?limit=1&labelSelector=set%3Ds&continue=${first.metadata.continue}`)).body;
    expect([...items(first), ...items(second)]).toEqual(["PartialObjectMetadata a", "PartialObjectMetadata b"]);
    expect([second.kind, second.metadata.continue]).toEqual(["PartialObjectMetadataList", undefined]);
  });

  test("without items has null in their place", async () => {
    expect((await partialList().get(`${nodes}?labelSelector=set%3Dnone`)).body.items).toBeNull();
  });
});

describe("a watch", () => {
  const initial = "watch=1&timeoutSeconds=20&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

  test("sends metadata, and bookmarks in the same form", async () => {
    await using events = await partial().watch(`${maps}?${initial}&labelSelector=set%3Ds`);
    const seen = await events.take(3);
    expect(seen.map(({ type, object }) => `${type} ${object.kind} ${object.metadata.name}`)).toEqual([
      "ADDED PartialObjectMetadata a",
      "ADDED PartialObjectMetadata b",
      "BOOKMARK PartialObjectMetadata undefined",
    ]);
    expect(withoutVolatile(seen[0].object)).toEqual({ ...types, metadata });
    const { resourceVersion } = seen[2].object.metadata;
    expect(seen[2].object).toEqual({ ...types, metadata: { resourceVersion, annotations: { "k8s.io/initial-events-end": "true" } } });
  });

  test("tells of changes outside of the metadata as well, and of deletions", async () => {
    const since = (await file.admin.get(maps)).body.metadata.resourceVersion;
    await using events = await partial().watch(`${maps}?watch=1&timeoutSeconds=20&labelSelector=set%3Dt&resourceVersion=${since}`);
    await file.admin.post(maps, configMap("t", { v: "1" }, { labels: { set: "t" } }));
    await file.admin.merge(`${maps}/t`, { data: { v: "2" } });
    await file.admin.delete(`${maps}/t`);
    const seen = await events.take(3);
    expect(seen.map(({ type, object }) => [type, object.kind, Object.keys(object).length])).toEqual([
      ["ADDED", types.kind, 3],
      ["MODIFIED", types.kind, 3],
      ["DELETED", types.kind, 3],
    ]);
    const versions = seen.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  });

  test("in the form of a list says nothing", async () => {
    await using events = await partialList().watch(`${maps}?${initial}`);
    expect([events.code, await events.rest()]).toEqual([200, []]);
  });
});

test("custom kinds have these forms too", async () => {
  await installDefinitions(file.cluster.admin, snapshotDefinitions);
  const path = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses";
  const snapshotClass = { apiVersion: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshotClass" };
  await file.admin.post(path, { ...snapshotClass, metadata: { name: "c" }, driver: "d", deletionPolicy: "Delete" });
  const expected = { ...types, metadata: { name: "c", generation: 1, uid: "<uid>", creationTimestamp: "<time>" } };
  expect(withoutVolatile((await partial().get(`${path}/c`)).body)).toEqual(expected);
  expect(withoutVolatile((await partialList().get(path)).body.items)).toEqual([expected]);
  await using events = await partial().watch(`${path}?watch=1&timeoutSeconds=20`);
  expect(withoutVolatile(await events.next())).toEqual({ type: "ADDED", object: expected });
  expect(outcomeOf(await partial().get(path))).toBe(gone("PartialObjectMetadata", "a list (*unstructured.UnstructuredList)"));
}, 30_000);

const gone = (form: string, what: string) => `406 NotAcceptable: you requested ${form}, but the requested object is ${what}`;
const negotiated: readonly [accept: string, path: string, said: string][] = [
  [`${one},application/json`, mapPath, "PartialObjectMetadata"],
  [one, mapPath, "PartialObjectMetadata"],
  ["application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1", mapPath, "PartialObjectMetadata"],
  [`application/json,${one}`, mapPath, "ConfigMap"],
  [`application/json;q=0.5, ${one};q=0.9`, mapPath, "PartialObjectMetadata"],
  [`*/*, ${one}`, mapPath, "PartialObjectMetadata"],
  ["*/*;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", mapPath, "PartialObjectMetadata"],
  ["text/html, */*;q=0.8", mapPath, "ConfigMap"],
  ["application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v2,application/json", mapPath, "ConfigMap"],
  ["application/json;as=PartialObjectMetadata,application/json", mapPath, "ConfigMap"],
  ["application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v2", mapPath, "406 NotAcceptable"],
  ["application/json;as=Unheard;g=meta.k8s.io;v=v1", mapPath, "406 NotAcceptable"],
  ["text/html", mapPath, "406 NotAcceptable"],
  [`${list},application/json`, mapPath, gone("PartialObjectMetadataList", "not a list (*core.ConfigMap)")],
  [`${one},application/json`, maps, gone("PartialObjectMetadata", "a list (*core.ConfigMapList)")],
  [`${one},application/json`, classes, gone("PartialObjectMetadata", "a list (*storage.StorageClassList)")],
];
test.each([...negotiated])("%s of %s", async (accept, path, said) => {
  const answer = await asking(accept).get(path);
  const seen = answer.code < 400 ? answer.body.kind : outcomeOf(answer);
  expect(said.includes(":") ? seen : seen.replace(/:.*/s, "")).toBe(said);
});
