import { expect, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { configMap, maps } from "../testing/fixtures.ts";
import { outcomeOf } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
// biome-ignore lint/suspicious/noExplicitAny: events of every kind
type Event = any;
const line = ({ type, object }: Event): string =>
  [type, object.metadata?.name ?? object.kind, ...Object.values(object.data ?? {})].join(" ");
const version = async (): Promise<string> => (await file.admin.get(maps)).body.metadata.resourceVersion;
const watch = (set: string, query: string) => file.admin.watch(`${maps}?watch=1&timeoutSeconds=20&labelSelector=set%3D${set}&${query}`);
const create = async (set: string, name: string, data = {}) =>
  (await file.admin.post(maps, configMap(`${set}-${name}`, data, { labels: { set } }))).body;

test("changes after a version are sent in order, whole", async () => {
  const since = await version();
  await create("order", "a", { v: "1" });
  await using events = await watch("order", `resourceVersion=${since}`);
  await file.admin.merge(`${maps}/order-a`, { data: { v: "2" } });
  await create("order", "b");
  await file.admin.delete(`${maps}/order-a`);
  const seen = await events.take(4);
  expect(seen.map(line)).toEqual(["ADDED order-a 1", "MODIFIED order-a 2", "ADDED order-b", "DELETED order-a 2"]);
  expect([seen[0].object.kind, seen[0].object.apiVersion]).toEqual(["ConfigMap", "v1"]);
  const versions = seen.map((event) => Number(event.object.metadata.resourceVersion));
  expect(versions).toEqual([...versions].sort((a, b) => a - b));
  expect(new Set(versions).size).toBe(4);
});

test.each([
  ["", true],
  ["resourceVersion=0", true],
])("a watch with %p begins with what is there", async (query, initial) => {
  const set = `begin${query.length}`;
  await create(set, "a");
  await using events = await watch(set, query);
  if (initial) expect(line(await events.next())).toBe(`ADDED ${set}-a`);
  await create(set, "b");
  expect(line(await events.next())).toBe(`ADDED ${set}-b`);
});

test("initial events end with a bookmark that says so", async () => {
  await create("initial", "b");
  await create("initial", "a");
  await using events = await watch("initial", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  const seen = await events.take(3);
  expect(seen.map(({ type, object }) => [type, object.kind, object.metadata.name])).toEqual([
    ["ADDED", "ConfigMap", "initial-a"],
    ["ADDED", "ConfigMap", "initial-b"],
    ["BOOKMARK", "ConfigMap", undefined],
  ]);
  const bookmark = seen[2].object;
  expect(bookmark.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
  expect(Object.keys(bookmark).sort()).toEqual(["apiVersion", "kind", "metadata"]);
  const next = await create("initial", "c");
  expect(Number(bookmark.metadata.resourceVersion)).toBeLessThan(Number(next.metadata.resourceVersion));
  expect(line(await events.next())).toBe("ADDED initial-c");
});

test("without bookmarks the initial events have no end mark; without initial events there is news only", async () => {
  await create("plain", "a");
  await using all = await watch("plain", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  await using news = await watch("plain", "sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0");
  expect(line(await all.next())).toBe("ADDED plain-a");
  await create("plain", "b");
  expect(line(await all.next())).toBe("ADDED plain-b");
  expect(line(await news.next())).toBe("ADDED plain-b");
});

test("an object that begins or ceases to be selected is added or deleted for the watcher", async () => {
  const since = await version();
  await using events = await watch("in", `resourceVersion=${since}`);
  await create("out", "x", { v: "1" });
  await file.admin.merge(`${maps}/out-x`, { metadata: { labels: { set: "in" } }, data: { v: "2" } });
  await file.admin.merge(`${maps}/out-x`, { data: { v: "3" } });
  const { body: left } = await file.admin.merge(`${maps}/out-x`, { metadata: { labels: { set: "out" } }, data: { v: "4" } });
  await file.admin.merge(`${maps}/out-x`, { data: { v: "5" } });
  await file.admin.delete(`${maps}/out-x`);
  await create("in", "last");
  const seen = await events.take(4);
  expect(seen.map(line)).toEqual(["ADDED out-x 2", "MODIFIED out-x 3", "DELETED out-x 3", "ADDED in-last"]);
  expect(seen[2].object.metadata.resourceVersion).toBe(left.metadata.resourceVersion);
});

test("one object is watched by its name", async () => {
  const since = await version();
  await using events = await file.admin.watch(`${maps}?watch=1&fieldSelector=metadata.name%3Done-b&resourceVersion=${since}`);
  await create("one", "a");
  await create("one", "b");
  expect(line(await events.next())).toBe("ADDED one-b");
});

test("the server ends a watch after timeoutSeconds, properly", async () => {
  const since = await version();
  await using plain = await file.admin.watch(`${maps}?watch=1&timeoutSeconds=1&resourceVersion=${since}`);
  expect(await plain.rest()).toEqual([]);
});

const refusals: readonly [query: string, said: string][] = [
  [
    "sendInitialEvents=true",
    '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
  ],
  [
    "sendInitialEvents=true&resourceVersionMatch=Exact",
    '422 Invalid: ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
  ],
  [
    "resourceVersionMatch=NotOlderThan",
    '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
  ],
  ["resourceVersion=abc", '500: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax'],
  ["timeoutSeconds=abc", '400 BadRequest: strconv.ParseInt: parsing "abc": invalid syntax'],
  ["fieldSelector=data.x%3Dy", '400 BadRequest: "data.x" is not a known field selector: only "metadata.name", "metadata.namespace"'],
  ["labelSelector=a%3Db%3Dc", "400 BadRequest: found '=', expected: ',' or 'end of string'"],
];
test.each([...refusals])("a watch with %s is refused", async (query, said) => {
  expect(outcomeOf(await file.admin.get(`${maps}?watch=1&${query}`))).toBe(said);
});
