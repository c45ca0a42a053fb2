import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  jsonPatch,
  Lease,
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  reviewAccess,
  StatusError,
  serverVersion,
  strategicMergePatch,
  VolumeAttachment,
  VolumeAttributesClass,
} from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { clientOf } from "./testing/client-of.ts";
import { attachment, claim, volume } from "./testing/objects.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster();
});
afterEach(() => cluster[Symbol.asyncDispose]());

const caught = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

test("an object is created, read, updated, patched in every way and deleted", async () => {
  const { admin } = cluster;
  const ref = { name: "round", namespace: "default" };
  const created = await admin.create(PersistentVolumeClaim, claim("round"));
  expect(created).toMatchObject({ kind: "PersistentVolumeClaim", apiVersion: "v1", status: { phase: "Pending" } });
  expect(await admin.get(PersistentVolumeClaim, ref)).toEqual(created);

  const updated = await admin.update(PersistentVolumeClaim, { ...created, metadata: { ...created.metadata, labels: { by: "put" } } });
  expect(updated.metadata?.labels).toEqual({ by: "put" });
  const merged = await admin.patch(PersistentVolumeClaim, ref, mergePatch({ metadata: { labels: { by: "merge" } } }));
  expect(merged.metadata?.labels).toEqual({ by: "merge" });
  const json = await admin.patch(PersistentVolumeClaim, ref, jsonPatch([{ op: "replace", path: "/metadata/labels/by", value: "json" }]));
  expect(json.metadata?.labels).toEqual({ by: "json" });
  const strategic = await admin.patch(PersistentVolumeClaim, ref, strategicMergePatch({ metadata: { finalizers: ["example.com/f"] } }));
  expect(strategic.metadata?.finalizers).toEqual(["example.com/f", "kubernetes.io/pvc-protection"]);
  const status = await admin.patch(PersistentVolumeClaim, ref, mergePatch({ status: { phase: "Bound" } }), { subresource: "status" });
  expect(status.status?.phase).toBe("Bound");

  await admin.delete(PersistentVolumeClaim, ref, { preconditions: { uid: created.metadata?.uid } });
  expect((await admin.get(PersistentVolumeClaim, ref)).metadata?.deletionTimestamp).toBeString();
  await admin.patch(PersistentVolumeClaim, ref, mergePatch({ metadata: { finalizers: null } }));
  expect(isNotFound(await caught(admin.get(PersistentVolumeClaim, ref)))).toBe(true);
});

test("status is updated separately, and a listed object can be written back", async () => {
  const { admin } = cluster;
  const created = await admin.create(VolumeAttachment, attachment("apart"));
  const attached = await admin.update(VolumeAttachment, { ...created, status: { attached: true } }, { subresource: "status" });
  expect(attached.status?.attached).toBe(true);
  const [listed] = (await admin.list(VolumeAttachment, { fieldSelector: "metadata.name=apart" })).items;
  const written = await admin.update(VolumeAttachment, listed!);
  expect(written.metadata?.resourceVersion).toBe(attached.metadata?.resourceVersion);
});

test("a list comes in pages", async () => {
  const { admin } = cluster;
  for (const name of ["p1", "p2", "p3"])
    await admin.create(PersistentVolume, { ...volume(name), metadata: { name, labels: { set: "paged" } } });
  const first = await admin.list(PersistentVolume, { labelSelector: "set=paged", limit: 2 });
  const rest = await admin.list(PersistentVolume, { labelSelector: "set=paged", limit: 2, continue: first.metadata.continue });
  expect([first, rest].map(({ items }) => items.map(({ metadata }) => metadata?.name))).toEqual([["p1", "p2"], ["p3"]]);
  expect(rest.metadata.continue).toBeUndefined();
});

test("a watch reports what happens after a list", async () => {
  const { admin } = cluster;
  const { metadata } = await admin.list(Lease, { namespace: "default" });
  const events = await admin.watch(Lease, { namespace: "default", resourceVersion: metadata.resourceVersion });
  await admin.create(Lease, { metadata: { name: "watched", namespace: "default" } });
  await admin.delete(Lease, { name: "watched", namespace: "default" });
  const seen: string[] = [];
  for await (const event of events) {
    seen.push(event.type);
    if (event.type === "DELETED") break;
  }
  expect(seen).toEqual(["ADDED", "DELETED"]);
});

test("errors are told apart", async () => {
  const { admin } = cluster;
  const created = await admin.create(PersistentVolume, volume("twice"));
  expect(isAlreadyExists(await caught(admin.create(PersistentVolume, volume("twice"))))).toBe(true);
  await admin.patch(PersistentVolume, { name: "twice" }, mergePatch({ metadata: { labels: { a: "b" } } }));
  expect(isConflict(await caught(admin.update(PersistentVolume, created)))).toBe(true);
  const tested = jsonPatch([{ op: "test", path: "/metadata/name", value: "other" }]);
  const failed = await caught(admin.patch(PersistentVolume, { name: "twice" }, tested));
  expect([isInvalid(failed), failed instanceof StatusError && failed.status.code]).toEqual([true, 422]);
  const bad = await caught(admin.create(PersistentVolume, { metadata: { name: "bad" }, spec: {} }));
  expect(isInvalid(bad)).toBe(true);
});

test("a dry run stores nothing", async () => {
  await cluster.admin.create(PersistentVolume, volume("dry"), { dryRun: true });
  expect(isNotFound(await caught(cluster.admin.get(PersistentVolume, { name: "dry" })))).toBe(true);
});

test("discovery knows what is served", async () => {
  const storage = await cluster.admin.discover("storage.k8s.io/v1");
  expect(storage?.find(({ name }) => name === "volumeattachments")).toMatchObject({ kind: "VolumeAttachment", namespaced: false });
  expect(storage?.some(({ name }) => name === VolumeAttributesClass.plural)).toBe(true);
  expect((await cluster.admin.discover("v1"))?.some(({ name }) => name === "persistentvolumes")).toBe(true);
  expect(await cluster.admin.discover("snapshot.storage.k8s.io/v1")).toBeUndefined();
  expect(await cluster.admin.discover("storage.k8s.io/v7")).toBeUndefined();
  expect((await serverVersion(cluster.admin)).minor).toBe("36");
});

test("access reviews answer for the own user", async () => {
  const unprivileged = clientOf(cluster, cluster.newUser().token);
  expect(await reviewAccess(unprivileged, { verb: "list", resource: PersistentVolume })).toEqual({ allowed: false, reason: "" });
  expect((await reviewAccess(cluster.admin, { verb: "patch", resource: VolumeAttachment, subresource: "status" })).allowed).toBe(true);
});
