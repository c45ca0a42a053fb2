import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Wire, wire } from "../../apiserver/testing/wire.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { startCluster } from "../../cluster/start-cluster.ts";
import { configMap, maps } from "../testing/fixtures.ts";

let cluster: Cluster;
let admin: Wire;
let before: { version: string; token: string };
let last: { metadata: { resourceVersion: string } };

beforeAll(async () => {
  cluster = await startCluster({ own: true });
  admin = wire(cluster, { token: cluster.adminToken });
  for (const name of ["a", "b", "c"]) await admin.post(maps, configMap(name));
  const { metadata } = (await admin.get(`${maps}?limit=1`)).body;
  before = { version: metadata.resourceVersion, token: metadata.continue };
  for (let i = 0; i < 5; i++) last = (await admin.merge(`${maps}/a`, { data: { i: String(i) } })).body;
  await cluster.compact();
  await cluster.stop();
  await cluster.start();
}, 60_000);
afterAll(() => cluster[Symbol.asyncDispose]());

test("the data is still there, with the same versions", async () => {
  expect((await admin.get(`${maps}/a`)).body).toEqual(last);
});

test("a watch from before the compaction is told to list again, on the stream", async () => {
  await using events = await admin.watch(`${maps}?watch=1&resourceVersion=${before.version}`);
  expect(events.code).toBe(200);
  const { type, object } = await events.next();
  expect([type, object.kind, object.status, object.code, object.reason]).toEqual(["ERROR", "Status", "Failure", 410, "Expired"]);
  expect(object.message).toMatch(/^too old resource version: \d+ \(\d+\)$/);
  expect(await events.next()).toBeUndefined();
});

test("an expired continue token comes with one that goes on from now", async () => {
  const { code, body } = await admin.get(`${maps}?limit=1&continue=${before.token}`);
  expect([code, body.reason, body.message]).toEqual([
    410,
    "Expired",
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
  ]);
  const rest = await admin.get(`${maps}?continue=${body.metadata.continue}`);
  expect(rest.code).toBe(200);
  expect(rest.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(["b", "c"]);
});

test("an exact list of a forgotten version has expired", async () => {
  const { code, body } = await admin.get(`${maps}?resourceVersion=${before.version}&resourceVersionMatch=Exact`);
  expect([code, body.reason]).toEqual([410, "Expired"]);
  expect(body.message).toBe("The resourceVersion for the provided list is too old.");
});

test("a list that is not older than a forgotten version shows what is there", async () => {
  const { code, body } = await admin.get(`${maps}?resourceVersion=${before.version}&resourceVersionMatch=NotOlderThan`);
  expect([code, body.items.length]).toEqual([200, 3]);
});

test("a watch is cut when the server stops; once it is back, what went before can be listed but not watched", async () => {
  const since = (await admin.get(maps)).body.metadata.resourceVersion;
  await using cut = await admin.watch(`${maps}?watch=1&resourceVersion=${since}`);
  await admin.post(maps, configMap("seen"));
  expect((await cut.next()).object.metadata.name).toBe("seen");
  await cluster.stop("abrupt");
  expect(await cut.rest().catch(() => [])).toEqual([]);
  await cluster.start();

  await using late = await admin.watch(`${maps}?watch=1&resourceVersion=${since}`);
  const { type, object } = await late.next();
  expect([type, object.code, object.reason]).toEqual(["ERROR", 410, "Expired"]);
  const exact = await admin.get(`${maps}?resourceVersion=${since}&resourceVersionMatch=Exact`);
  expect([exact.code, exact.body.items.length]).toEqual([200, 3]);
  const now = await admin.get(maps);
  await using resumed = await admin.watch(`${maps}?watch=1&resourceVersion=${now.body.metadata.resourceVersion}`);
  await admin.delete(`${maps}/seen`);
  expect((await resumed.next()).type).toBe("DELETED");
}, 60_000);
