import { beforeAll, expect, test } from "bun:test";
import { AssumeCache, annotationsPatch, finalizersPatch, patchNewest, statusPatch } from "@csi-sidecars/controller";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import {
  type CachedOf,
  fields,
  mergePatch,
  type Patch,
  projectorFor,
  type V1VolumeSnapshotContent,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { startCluster } from "@csi-sidecars/testcluster";

/* How custom resources are patched beside other writers, on whichever API server. */

const contentFields = fields(VolumeSnapshotContent, {
  metadata: { annotations: ["a.io/ours", "a.io/theirs"], finalizers: true },
  status: { readyToUse: true, snapshotHandle: true },
});
type Content = CachedOf<typeof contentFields>;
const project = projectorFor(contentFields);

const content = (): V1VolumeSnapshotContent => ({
  metadata: { name: "one", finalizers: ["a.io/theirs"] },
  spec: {
    deletionPolicy: "Delete",
    driver: "d",
    source: { volumeHandle: "v" },
    volumeSnapshotRef: { name: "s", namespace: "default" },
  },
});

/** A content, a writer of it that knows the state of before and no other, and what it asks of the server. */
async function world() {
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await startCluster({ definitions: snapshotDefinitions }));
  const { admin } = cluster;
  const made = await admin.create(VolumeSnapshotContent, content());
  const before = project(made);
  const asked: string[] = [];
  const kube = {
    get: ((...args: Parameters<typeof admin.get>) => {
      asked.push("get");
      return admin.get(...args);
    }) as typeof admin.get,
    patch: ((...args: Parameters<typeof admin.patch>) => {
      asked.push(`patch${args[3]?.subresource ? " status" : ""}`);
      return admin.patch(...args);
    }) as typeof admin.patch,
  };
  const cache = new AssumeCache<Content>({ get: () => before }, project);
  const ref = { name: "one" };
  const moved = opened.move();
  return {
    ...{ admin, asked, ref, before },
    patch: (plan: (newest: Content) => Patch | undefined, subresource?: "status") =>
      patchNewest({ kube, resource: VolumeSnapshotContent, cache, project }, before, plan, { ...(subresource && { subresource }) }),
    now: () => admin.get(VolumeSnapshotContent, ref),
    async replace() {
      await admin.patch(VolumeSnapshotContent, ref, mergePatch({ metadata: { finalizers: null } }));
      await admin.delete(VolumeSnapshotContent, ref);
      await admin.create(VolumeSnapshotContent, content());
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

beforeAll(async () => {
  await using _warm = await startCluster();
}, 60_000);

test("nobody else writes: one request each, and none for what is so already", async () => {
  await using w = await world();
  await w.patch((newest) => annotationsPatch(newest, { "a.io/ours": "yes" }));
  await w.patch((newest) => finalizersPatch(newest, { add: ["a.io/ours"] }));
  await w.patch((newest) => statusPatch(newest, { readyToUse: false }), "status");
  await w.patch((newest) => statusPatch(newest, { snapshotHandle: "h", readyToUse: undefined }), "status");
  await w.patch((newest) => annotationsPatch(newest, { "a.io/ours": "yes" }));
  await w.patch((newest) => finalizersPatch(newest, { add: ["a.io/ours"] }));
  const { metadata, status } = await w.now();
  expect([metadata?.annotations, metadata?.finalizers, status]).toEqual([
    { "a.io/ours": "yes" },
    ["a.io/theirs", "a.io/ours"],
    { snapshotHandle: "h" },
  ]);
  expect(w.asked).toEqual(["patch", "patch", "patch status", "patch status"]);
});

test("somebody else writes meanwhile: both changes stand", async () => {
  await using w = await world();
  const theirs = { finalizers: ["a.io/theirs", "a.io/new"], annotations: { "a.io/theirs": "yes" } };
  await w.admin.patch(VolumeSnapshotContent, w.ref, mergePatch({ metadata: theirs }));
  await w.admin.patch(VolumeSnapshotContent, w.ref, mergePatch({ status: { readyToUse: true } }), { subresource: "status" });
  await w.patch((newest) => annotationsPatch(newest, { "a.io/ours": "yes" }));
  expect(w.asked).toEqual(["patch"]);
  await w.patch((newest) => statusPatch(newest, { snapshotHandle: "h" }), "status");
  // The annotation's answer showed the new list and status: nothing is refused.
  await w.patch((newest) => finalizersPatch(newest, { add: ["a.io/ours"] }));
  expect(w.asked).toEqual(["patch", "patch status", "patch"]);
  const { metadata, status } = await w.now();
  expect([metadata?.annotations, metadata?.finalizers, status]).toEqual([
    { "a.io/ours": "yes", "a.io/theirs": "yes" },
    ["a.io/theirs", "a.io/new", "a.io/ours"],
    { snapshotHandle: "h", readyToUse: true },
  ]);
});

test.each<[string, (newest: Content) => Patch | undefined, "status" | undefined]>([
  ["finalizers", (newest) => finalizersPatch(newest, { add: ["a.io/ours"] }), undefined],
  ["the first status", (newest) => statusPatch(newest, { snapshotHandle: "h" }), "status"],
])("somebody else wrote what is not known yet, %s: read and planned again", async (_, plan, subresource) => {
  await using w = await world();
  await w.admin.patch(VolumeSnapshotContent, w.ref, mergePatch({ metadata: { finalizers: ["a.io/new"] } }));
  await w.admin.patch(VolumeSnapshotContent, w.ref, mergePatch({ status: { readyToUse: true } }), { subresource: "status" });
  const written = await w.patch(plan, subresource);
  const patch = subresource ? "patch status" : "patch";
  expect(w.asked).toEqual([patch, "get", patch]);
  expect([written?.metadata.finalizers, written?.status]).toEqual(
    subresource ? [["a.io/new"], { readyToUse: true, snapshotHandle: "h" }] : [["a.io/new", "a.io/ours"], { readyToUse: true }],
  );
});

test.each<[string, (newest: Content) => Patch | undefined, "status" | undefined]>([
  ["annotations", (newest) => annotationsPatch(newest, { "a.io/ours": "yes" }), undefined],
  ["finalizers", (newest) => finalizersPatch(newest, { remove: ["a.io/theirs"] }), undefined],
  ["status", (newest) => statusPatch(newest, { snapshotHandle: "h" }), "status"],
])("another object has the name by now: its %s stay", async (_, plan, subresource) => {
  await using w = await world();
  await w.replace();
  const before = await w.now();
  expect(await w.patch(plan, subresource)).toBeUndefined();
  expect(await w.now()).toEqual(before);
});

test("the object is gone: nothing is left to write", async () => {
  await using w = await world();
  await w.admin.patch(VolumeSnapshotContent, w.ref, mergePatch({ metadata: { finalizers: null } }));
  await w.admin.delete(VolumeSnapshotContent, w.ref);
  expect(await w.patch((newest) => annotationsPatch(newest, { "a.io/ours": "yes" }))).toBeUndefined();
  expect(w.asked).toEqual(["patch"]);
});

test("what the server will never accept fails, and is tried twice", async () => {
  await using w = await world();
  await expect(w.patch((newest) => annotationsPatch(newest, { "not a key": "yes" }))).rejects.toThrow("metadata.annotations");
  expect(w.asked).toEqual(["patch", "get", "patch"]);
});

test("why statuses are patched with a test of the uid: a merge patch with another one is accepted", async () => {
  await using w = await world();
  const other = { metadata: { uid: "11111111-1111-1111-1111-111111111111" } };
  const { status } = await w.admin.patch(VolumeSnapshotContent, w.ref, mergePatch({ ...other, status: { readyToUse: true } }), {
    subresource: "status",
  });
  expect(status).toEqual({ readyToUse: true });
  await expect(w.admin.patch(VolumeSnapshotContent, w.ref, mergePatch(other))).rejects.toThrow("field is immutable");
});
