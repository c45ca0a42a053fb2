import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { createMap, initialList, told, watchMaps } from "./testing/watched-maps.ts";
import { type Wire, wire } from "./testing/wire.ts";

let clock: FakeClock;
let server: ApiServer;
let admin: Wire;
beforeEach(async () => {
  clock = new FakeClock();
  server = await startApiServer({ clock, watchWindow: 20 });
  admin = wire(server, { token: server.adminToken });
});
afterEach(() => server[Symbol.asyncDispose]());

const create = (name: string, labels?: object) => createMap(admin, name, labels);
const watch = (query: string) => watchMaps(admin, query);

describe("a watch", () => {
  test("thousands of initial events and the changes meanwhile arrive in order", async () => {
    server.seed(
      Array.from({ length: 3000 }, (_, i) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `m${i}` },
        data: { fill: "x".repeat(2000) },
      })),
    );
    await using stream = await watch(initialList);
    await create("late");
    const events = await stream.take(3002);
    expect(events.slice(0, 3000).every(({ type }) => type === "ADDED")).toBe(true);
    expect(told(events.slice(3000))).toEqual(["BOOKMARK", "ADDED late"]);
  });

  test("ends after its timeout, with a last bookmark for those who asked", async () => {
    await using plain = await watch("resourceVersion=0&timeoutSeconds=290");
    await using marked = await watch("resourceVersion=0&timeoutSeconds=290&allowWatchBookmarks=true");
    const { metadata } = await create("a");
    await clock.advance(290_000);
    expect(told(await plain.rest())).toEqual(["ADDED a"]);
    const events = await marked.rest();
    expect(told(events)).toEqual(["ADDED a", ...Array(5).fill("BOOKMARK")]);
    expect(events.at(-1).object.metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(server.openWatches).toBe(0);
  });

  test("bookmarks every minute tell how far the whole server has come", async () => {
    await using stream = await watch("resourceVersion=0&allowWatchBookmarks=true");
    const { body } = await admin.post("/api/v1/namespaces", { metadata: { name: "other" } });
    await clock.advance(60_000);
    expect((await stream.next()).object.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  test.each([
    ["compacted", () => server.compact()],
    ["out of the window", async () => void (await Promise.all(Array.from({ length: 30 }, (_, i) => create(`w${i}`))))],
  ])("from a version that is %s is told that it is too old", async (_, forget) => {
    const { metadata } = await create("a");
    await create("b");
    await forget();
    await using stream = await watch(`resourceVersion=${metadata.resourceVersion}`);
    expect(stream.code).toBe(200);
    const [error, ...more] = await stream.rest();
    expect(error).toMatchObject({ type: "ERROR", object: { kind: "Status", reason: "Expired", code: 410 } });
    expect(error.object.message).toStartWith(`too old resource version: ${metadata.resourceVersion} (`);
    expect(more).toEqual([]);
  });

  test("from a version that is still to come tells only what comes after it", async () => {
    const { metadata } = await create("a");
    await using stream = await watch(`resourceVersion=${Number(metadata.resourceVersion) + 1}`);
    for (const name of ["b", "c"]) await create(name);
    expect(told(await stream.take(1))).toEqual(["ADDED c"]);
  });

  test("an open watch survives compaction", async () => {
    await using stream = await watch("resourceVersion=0");
    server.compact();
    await create("a");
    expect(told(await stream.take(1))).toEqual(["ADDED a"]);
  });

  test.each([
    ["resourceVersion=x", 500],
    ["sendInitialEvents=true", 422],
    ["resourceVersion=0&resourceVersionMatch=NotOlderThan", 422],
    [`${initialList}&resourceVersion=999999`, 504],
    ["labelSelector=a===", 400],
  ])("refuses %s", async (query, code) => {
    await using stream = await watch(query);
    expect(stream.code).toBe(code);
  });

  test("a client that goes away leaves nothing behind", async () => {
    {
      await using stream = await watch("resourceVersion=0&allowWatchBookmarks=true");
      expect([stream.code, server.openWatches]).toEqual([200, 1]);
    }
    while (server.openWatches > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(clock.waiting).toBe(0);
  });
});
