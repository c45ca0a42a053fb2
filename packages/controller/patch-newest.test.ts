import { expect, test } from "bun:test";
import {
  type CachedOf,
  fields,
  type KubeObject,
  MootRequestError,
  type Patch,
  projectorFor,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { AssumeCache } from "./assume-cache.ts";
import { finalizersPatch } from "./custom-resource-patches.ts";
import { type PatchTarget, patchNewest } from "./patch-newest.ts";

const contentFields = fields(VolumeSnapshotContent, { metadata: { finalizers: true, deletionTimestamp: true } });
type Content = CachedOf<typeof contentFields>;
const project = projectorFor(contentFields);

const content = (resourceVersion: string, metadata: object = {}) =>
  project({ metadata: { name: "one", uid: "first", resourceVersion, ...metadata } });
const addOurs = (newest: Content) => finalizersPatch(newest, { add: ["a.io/ours"] });

/** A target whose patches wait, as for a token; meanwhile the watch shows something else. The server accepts whatever is sent. */
function waitingTarget(shows: (Content | undefined)[]) {
  let shown: Content | undefined = content("1");
  const sent: Patch[] = [];
  const patch = async (_resource: unknown, _ref: unknown, sending: Patch, options?: { readonly isMoot?: () => boolean }) => {
    await Promise.resolve();
    if (shows.length > 0) shown = shows.shift();
    if (options?.isMoot?.()) throw new MootRequestError("moot");
    sent.push(sending);
    return { metadata: { name: "one", uid: "first", resourceVersion: "9" } } satisfies KubeObject;
  };
  const kube = { get: () => Promise.reject(new Error("no read is needed")), patch } as unknown as PatchTarget<KubeObject, Content>["kube"];
  const cache = new AssumeCache<Content>({ get: () => shown }, project);
  return { target: { kube, resource: VolumeSnapshotContent, cache, project }, sent };
}

test("what the watch shows to be gone while the patch waits is not patched", async () => {
  const { target, sent } = waitingTarget([undefined]);
  expect(await patchNewest(target, content("1"), addOurs, {})).toBeUndefined();
  expect(sent).toEqual([]);
});

test("nor is another object of its name", async () => {
  const { target, sent } = waitingTarget([content("5", { uid: "second" })]);
  expect(await patchNewest(target, content("1"), addOurs, {})).toBeUndefined();
  expect(sent).toEqual([]);
});

test("a change that makes the patch needless is taken for its effect", async () => {
  const deleted = content("2", { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["a.io/theirs"] });
  const { target, sent } = waitingTarget([deleted]);
  expect(await patchNewest(target, content("1"), addOurs, {})).toBe(deleted);
  expect(sent).toEqual([]);
});

test("a change that makes it another patch is planned for", async () => {
  const { target, sent } = waitingTarget([content("2", { finalizers: ["a.io/theirs"] })]);
  await patchNewest(target, content("1"), addOurs, {});
  expect(sent).toEqual([finalizersPatch(content("2", { finalizers: ["a.io/theirs"] }), { add: ["a.io/ours"] })!]);
});

test("any other change is no reason to plan again", async () => {
  const { target, sent } = waitingTarget([content("2")]);
  await patchNewest(target, content("1"), addOurs, {});
  expect(sent).toEqual([addOurs(content("1"))!]);
});
