import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Cluster } from "../cluster/cluster.ts";
import { startCluster } from "../cluster/start-cluster.ts";
import { createMap, initialList, maps, told, watchMaps } from "./testing/watched-maps.ts";
import { type Wire, wire } from "./testing/wire.ts";

let cluster: Cluster;
let admin: Wire;
beforeEach(async () => {
  cluster = await startCluster();
  admin = wire(cluster, { token: cluster.adminToken });
});
afterEach(() => cluster[Symbol.asyncDispose]());

const create = (name: string, labels?: object) => createMap(admin, name, labels);
const watch = (query: string) => watchMaps(admin, query);

describe("a watch", () => {
  test("begins with what is there", async () => {
    await create("a");
    await using stream = await watch("");
    await create("b");
    expect(told(await stream.take(2))).toEqual(["ADDED a", "ADDED b"]);
  });

  test("from a version tells all that followed, to the version of the deletion", async () => {
    const { metadata } = await create("a");
    await admin.merge(`${maps}/a`, { data: { x: "1" } });
    await admin.delete(`${maps}/a`);
    const last = await create("b");
    await using stream = await watch(`resourceVersion=${metadata.resourceVersion}`);
    const events = await stream.take(3);
    expect(told(events)).toEqual(["MODIFIED a", "DELETED a", "ADDED b"]);
    expect(events[1].object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { x: "1" } });
    const versions = [metadata, ...events.map(({ object }) => object.metadata)].map(({ resourceVersion }) => Number(resourceVersion));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(4);
    expect(versions.at(-1)).toBe(Number(last.metadata.resourceVersion));
  });

  test("an initial list ends with its bookmark, and goes on", async () => {
    const { metadata } = await create("a");
    await using stream = await watch(initialList);
    const [added, end] = await stream.take(2);
    expect(added.type).toBe("ADDED");
    const { resourceVersion } = end.object.metadata;
    expect(end).toEqual({
      type: "BOOKMARK",
      object: { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion, annotations: { "k8s.io/initial-events-end": "true" } } },
    });
    expect(Number(resourceVersion)).toBeGreaterThanOrEqual(Number(metadata.resourceVersion));
    await create("b");
    expect(told(await stream.take(1))).toEqual(["ADDED b"]);
  });

  test("a selection sees objects come and go as they begin and cease to match", async () => {
    await create("a", { on: "no" });
    await using stream = await watch("labelSelector=on%3Dyes");
    for (const on of ["yes", "yes", "no"]) await admin.merge(`${maps}/a`, { metadata: { labels: { on } }, data: { [on]: on } });
    await create("b", { on: "yes" });
    const events = await stream.take(3);
    expect(told(events)).toEqual(["ADDED a", "DELETED a", "ADDED b"]);
    expect(events[1].object.metadata.labels).toEqual({ on: "yes" });
  });

  test("other namespaces stay out of sight", async () => {
    await using stream = await watch("");
    await admin.post("/api/v1/namespaces/kube-system/configmaps", { metadata: { name: "elsewhere" } });
    await create("here");
    expect(told(await stream.take(1))).toEqual(["ADDED here"]);
  });

  test.each([
    ["resourceVersion=x", 500],
    ["sendInitialEvents=true", 422],
    ["resourceVersion=0&resourceVersionMatch=NotOlderThan", 422],
    ["labelSelector=a===", 400],
  ])("refuses %s", async (query, code) => {
    await using stream = await watch(query);
    expect(stream.code).toBe(code);
  });
});
