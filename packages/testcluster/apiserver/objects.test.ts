import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Cluster } from "../cluster/cluster.ts";
import { startCluster } from "../cluster/start-cluster.ts";
import { type Wire, wire } from "./testing/wire.ts";

let cluster: Cluster;
let admin: Wire;
beforeAll(async () => {
  cluster = await startCluster();
  admin = wire(cluster, { token: cluster.adminToken });
});
afterAll(() => cluster[Symbol.asyncDispose]());

const maps = "/api/v1/namespaces/default/configmaps";
const attachments = "/apis/storage.k8s.io/v1/volumeattachments";
const volumes = "/api/v1/persistentvolumes";
const volume = (name: string) => ({
  metadata: { name },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], csi: { driver: "d", volumeHandle: name } },
  status: { phase: "Bound" },
});
const attachment = (name: string) => ({
  metadata: { name },
  spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "pv" } },
  status: { attached: true },
});
const create = async (path: string, object: object) => (await admin.post(path, object)).body;

describe("create", () => {
  test("gives identity and keeps what belongs to the client", async () => {
    const { code, body } = await admin.post(maps, { metadata: { name: "new", labels: { a: "b" }, uid: "mine" }, data: { k: "v" } });
    expect(code).toBe(201);
    expect(body).toMatchObject({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "new", namespace: "default", labels: { a: "b" } },
      data: { k: "v" },
    });
    expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect((await admin.get(`${maps}/new`)).body).toEqual(body);
  });

  test("generates names", async () => {
    const { metadata } = await create(maps, { metadata: { generateName: "gen-" } });
    expect(metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test("status comes from the server, except for nodes", async () => {
    expect((await create(volumes, volume("status-pv"))).status.phase).toBe("Pending");
    expect((await create(attachments, attachment("status-va"))).status).toEqual({ attached: false });
    const node = await create("/api/v1/nodes", { metadata: { name: "node" }, status: { capacity: { cpu: "1" } } });
    expect(node.status.capacity).toEqual({ cpu: "1" });
  });

  test.each([
    ["a name that is taken", maps, { metadata: { name: "new" } }, 409, 'configmaps "new" already exists'],
    ["no name", maps, { metadata: {} }, 422, 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required'],
    [
      "a version",
      maps,
      { metadata: { name: "x", resourceVersion: "1" } },
      500,
      "resourceVersion should not be set on objects to be created",
    ],
    [
      "another namespace",
      maps,
      { metadata: { name: "x", namespace: "y" } },
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    ["an absent namespace", "/api/v1/namespaces/nowhere/configmaps", { metadata: { name: "x" } }, 404, 'namespaces "nowhere" not found'],
    [
      "no namespace at all",
      "/api/v1/configmaps",
      { metadata: { name: "x" } },
      405,
      "the server does not allow this method on the requested resource",
    ],
    ["an unknown kind", "/api/v1/things", { metadata: { name: "x" } }, 404, "the server could not find the requested resource"],
  ])("refuses %s", async (_, path, object, code, message) => {
    const answer = await admin.post(path, object);
    expect(answer.body).toMatchObject({ kind: "Status", status: "Failure", code, message });
    expect(answer.code).toBe(code);
  });

  test("refuses what is too large to be stored", async () => {
    const { code, body } = await admin.post(maps, { metadata: { name: "large" }, data: { x: "x".repeat(4 << 20) } });
    expect([code, body.reason]).toEqual([413, "RequestEntityTooLarge"]);
  });

  test("dry run answers but stores nothing", async () => {
    expect((await admin.post(`${maps}?dryRun=All`, { metadata: { name: "dry" } })).code).toBe(201);
    expect((await admin.get(`${maps}/dry`)).code).toBe(404);
  });
});

describe("update and patch", () => {
  test("a write on an older version conflicts", async () => {
    const old = await create(maps, { metadata: { name: "locked" } });
    const changed = await admin.put(`${maps}/locked`, { ...old, data: { a: "1" } });
    expect(changed.code).toBe(200);
    const late = await admin.put(`${maps}/locked`, { ...old, data: { a: "2" } });
    expect(late.body).toMatchObject({ code: 409, reason: "Conflict" });
    expect((await admin.merge(`${maps}/locked`, { metadata: { resourceVersion: old.metadata.resourceVersion } })).code).toBe(409);
  });

  test("a PUT need not repeat what cannot change", async () => {
    const { metadata } = await create(maps, { metadata: { name: "short" } });
    const { body } = await admin.put(`${maps}/short`, { metadata: { name: "short", creationTimestamp: null }, data: { a: "1" } });
    expect(body.metadata).toEqual({ ...metadata, resourceVersion: body.metadata.resourceVersion });
    expect(body.data).toEqual({ a: "1" });
  });

  test("a write that changes nothing keeps the version", async () => {
    const { metadata } = await create(maps, { metadata: { name: "same" }, data: { a: "1" } });
    const again = await admin.merge(`${maps}/same`, { data: { a: "1" }, metadata: { finalizers: [] } });
    expect(again.body.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test("status and the rest are written apart", async () => {
    await create(volumes, volume("apart"));
    const main = await admin.merge(`${volumes}/apart`, { status: { phase: "Failed" }, metadata: { labels: { a: "b" } } });
    expect([main.body.status.phase, main.body.metadata.labels]).toEqual(["Pending", { a: "b" }]);
    const status = await admin.merge(`${volumes}/apart/status`, {
      status: { phase: "Bound" },
      spec: { storageClassName: "x" },
      metadata: { labels: { c: "d" } },
    });
    expect([status.body.status.phase, status.body.spec.storageClassName, status.body.metadata.labels]).toEqual([
      "Bound",
      undefined,
      { a: "b", c: "d" },
    ]);
  });

  test("the status of an attachment leaves its metadata alone", async () => {
    await create(attachments, attachment("alone"));
    const { body } = await admin.merge(`${attachments}/alone/status`, { metadata: { finalizers: ["a.b/c"] }, status: { attached: true } });
    expect([body.status.attached, body.metadata.finalizers]).toEqual([true, undefined]);
  });

  test("generation counts changes of the spec, and the deletion", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const selector = { matchLabels: { a: "b" } };
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const first = await create(path, {
      metadata: { name: "d", finalizers: ["a.b/c"] },
      spec: { replicas: 1, selector, template },
      status: { replicas: 7 },
    });
    expect(first.status?.replicas).toBeUndefined();
    const labelled = (await admin.merge(`${path}/d`, { metadata: { labels: { a: "b" } } })).body;
    const scaled = (await admin.merge(`${path}/d`, { spec: { replicas: 2 } })).body;
    const deleted = (await admin.delete(`${path}/d`)).body;
    expect([first, labelled, scaled, deleted].map(({ metadata }) => metadata.generation)).toEqual([1, 1, 2, 3]);
  });

  test("PUT creates leases and insists on a version from then on", async () => {
    const lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
    expect((await admin.put(lease, { metadata: { name: "l" }, spec: { holderIdentity: "a" } })).code).toBe(201);
    expect((await admin.put(lease, { metadata: { name: "l" }, spec: { holderIdentity: "b" } })).body.message).toContain(
      "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
    );
    expect((await admin.put(`${maps}/absent`, { metadata: { name: "absent" } })).code).toBe(404);
  });

  test.each([
    ["application/json-patch+json", [{ op: "add", path: "/data", value: { j: "1" } }], 200],
    ["application/json-patch+json", [{ op: "test", path: "/data/j", value: "2" }], 422],
    ["application/strategic-merge-patch+json", { data: { s: "1" } }, 200],
    ["application/merge-patch+json; charset=utf-8", { data: { m: "1" } }, 200],
    ["application/json", {}, 415],
  ])("patches as %s", async (type, patch, code) => {
    await admin.post(maps, { metadata: { name: "patched" } });
    expect((await admin.request("PATCH", `${maps}/patched`, patch, type)).code).toBe(code);
  });
});

describe("delete", () => {
  test("without finalizers it is gone, and the answer says so", async () => {
    const { metadata } = await create(maps, { metadata: { name: "gone" } });
    const { body } = await admin.delete(`${maps}/gone`);
    expect(body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "gone", kind: "configmaps", uid: metadata.uid },
    });
    expect((await admin.delete(`${maps}/gone`)).code).toBe(404);
  });

  test("finalizers hold it, take no newcomers, and the last one lets it go", async () => {
    await create(maps, { metadata: { name: "held", finalizers: ["a.b/c", "a.b/d"] } });
    const first = (await admin.delete(`${maps}/held`)).body;
    expect(first.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: ["a.b/c", "a.b/d"] });
    expect(first.metadata.deletionTimestamp).toBeString();
    expect((await admin.delete(`${maps}/held`)).body.metadata).toEqual(first.metadata);
    expect((await admin.merge(`${maps}/held`, { metadata: { finalizers: ["a.b/c", "a.b/e"] } })).body.message).toContain(
      "no new finalizers can be added",
    );
    expect((await admin.merge(`${maps}/held`, { metadata: { finalizers: ["a.b/d"] } })).code).toBe(200);
    expect((await admin.merge(`${maps}/held`, { metadata: { finalizers: null } })).code).toBe(200);
    expect((await admin.get(`${maps}/held`)).code).toBe(404);
  });

  test("preconditions name the object that is meant", async () => {
    const { metadata } = await create(maps, { metadata: { name: "meant" } });
    expect((await admin.delete(`${maps}/meant`, { preconditions: { uid: "other" } })).code).toBe(409);
    expect((await admin.delete(`${maps}/meant`, { preconditions: { resourceVersion: "1" } })).code).toBe(409);
    expect((await admin.delete(`${maps}/meant`, { preconditions: { uid: metadata.uid } })).code).toBe(200);
  });

  test("a pod on a node is deleted gracefully when asked to", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    await create(pods, { metadata: { name: "p" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } });
    expect((await admin.delete(`${pods}/p`, { gracePeriodSeconds: 30 })).body.metadata.deletionGracePeriodSeconds).toBe(30);
    expect((await admin.get(`${pods}/p`)).code).toBe(200);
    await admin.delete(`${pods}/p`, { gracePeriodSeconds: 0 });
    expect((await admin.get(`${pods}/p`)).code).toBe(404);
  });

  test("a collection is deleted by selection", async () => {
    for (const name of ["c1", "c2"]) await create(maps, { metadata: { name, labels: { collection: "yes" } } });
    const { body } = await admin.delete(`${maps}?labelSelector=collection%3Dyes`);
    expect(body.items).toHaveLength(2);
    expect((await admin.get(`${maps}?labelSelector=collection`)).body.items).toEqual([]);
  });
});

test("an event has two views", async () => {
  const path = "/namespaces/default/events";
  await create(`/apis/events.k8s.io/v1${path}`, {
    metadata: { name: "e" },
    regarding: { namespace: "default", kind: "Pod", name: "x" },
    note: "m",
    reason: "R",
    type: "Normal",
    action: "Do",
    reportingController: "a.b/c",
    reportingInstance: "i",
    eventTime: "2026-01-01T00:00:00.000000Z",
  });
  const core = async () => (await admin.get(`/api/v1${path}/e`)).body;
  expect(await core()).toMatchObject({ apiVersion: "v1", involvedObject: { name: "x" }, message: "m", reportingComponent: "a.b/c" });
  await admin.merge(`/apis/events.k8s.io/v1${path}/e`, { series: { count: 2, lastObservedTime: "2026-01-01T00:00:00.000000Z" } });
  expect(await core()).toMatchObject({ message: "m", series: { count: 2 } });
  const other = await admin.get(`/apis/events.k8s.io/v1${path}/e`);
  expect(other.body).toMatchObject({ apiVersion: "events.k8s.io/v1", regarding: { name: "x" }, note: "m", series: { count: 2 } });
});
