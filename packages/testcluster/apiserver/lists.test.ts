import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Cluster } from "../cluster/cluster.ts";
import { startCluster } from "../cluster/start-cluster.ts";
import { type Wire, wire } from "./testing/wire.ts";

let cluster: Cluster;
let admin: Wire;
beforeEach(async () => {
  cluster = await startCluster();
  admin = wire(cluster, { token: cluster.adminToken });
  for (const name of ["a", "b", "c", "d", "e"]) await admin.post(maps, { metadata: { name, labels: { first: String(name < "c") } } });
});
afterEach(() => cluster[Symbol.asyncDispose]());

const maps = "/api/v1/namespaces/default/configmaps";
const names = (list: { items: { metadata: { name: string } }[] }) => list.items.map(({ metadata }) => metadata.name).join("");
const list = async (query: string, path = maps) => (await admin.get(`${path}?${query}`)).body;
const versionOf = async (name: string) => (await admin.get(`${maps}/${name}`)).body.metadata.resourceVersion;

describe("a list", () => {
  test("has the version of the whole server, and items without types", async () => {
    const body = await list("");
    expect(body).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1", metadata: {} });
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(await versionOf("e")));
    expect(Object.keys(body.items[0])).toEqual(["metadata"]);
  });

  test("pages show the same moment, whatever happens in between", async () => {
    const first = await list("limit=2");
    expect(first.metadata.remainingItemCount).toBe(3);
    await admin.delete(`${maps}/c`);
    await admin.post(maps, { metadata: { name: "cc" } });
    await admin.merge(`${maps}/d`, { data: { changed: "yes" } });
    const second = await list(`limit=2&continue=${first.metadata.continue}`);
    const third = await list(`limit=2&continue=${second.metadata.continue}`);
    expect([first, second, third].map(names)).toEqual(["ab", "cd", "e"]);
    expect(second.items[1].data).toBeUndefined();
    expect([second, third].map(({ metadata }) => metadata.resourceVersion)).toEqual(Array(2).fill(first.metadata.resourceVersion));
    expect(third.metadata.continue).toBeUndefined();
    expect(names(await list(""))).toBe("abccde");
  });

  test.each([
    ["labels", "labelSelector=first%3Dtrue", "ab"],
    ["labels, a page", "labelSelector=first%3Dfalse&limit=2", "cd"],
    ["fields", "fieldSelector=metadata.name%21%3Da", "bcde"],
  ])("selects by %s", async (_, query, expected) => {
    expect(names(await list(query))).toBe(expected);
  });

  test("a selection has no remainingItemCount", async () => {
    const { metadata } = await list("labelSelector=first&limit=2");
    expect(metadata.continue).toBeString();
    expect(metadata.remainingItemCount).toBeUndefined();
  });

  test("reads at a version: exactly, or not older", async () => {
    const version = await versionOf("b");
    expect(names(await list(`resourceVersion=${version}&resourceVersionMatch=Exact`))).toBe("ab");
    expect(names(await list(`resourceVersion=${version}&limit=9`))).toBe("ab");
    expect(names(await list(`resourceVersion=${version}&resourceVersionMatch=NotOlderThan`))).toBe("abcde");
    expect(names(await list(`resourceVersion=${version}`))).toBe("abcde");
  });

  test("namespaces do not run into each other", async () => {
    for (const name of ["team", "team-a", "team0"]) {
      await admin.post("/api/v1/namespaces", { metadata: { name } });
      await admin.post(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name, labels: { team: "yes" } } });
    }
    expect(names(await list("", "/api/v1/namespaces/team/configmaps"))).toBe("team");
    expect(names(await list("labelSelector=team", "/api/v1/configmaps"))).toBe("team-ateamteam0");
  });

  test.each([
    ["resourceVersion=x", 400],
    ["continue=x", 400],
    ["limit=x", 400],
    ["labelSelector=a===", 400],
    ["fieldSelector=foo%3Dbar", 400],
    ["resourceVersionMatch=Exact", 422],
    ["resourceVersionMatch=Exact&resourceVersion=0", 422],
    ["sendInitialEvents=true", 422],
  ])("refuses %s", async (query, code) => {
    expect((await list(query)).code).toBe(code);
  });

  test("a version from the future is too large", async () => {
    const { code, body, headers } = await admin.get(`${maps}?resourceVersion=999999999`);
    expect([code, body.reason, body.details.causes[0].reason]).toEqual([504, "Timeout", "ResourceVersionTooLarge"]);
    expect(headers.get("retry-after")).toBe("1");
  });
});
