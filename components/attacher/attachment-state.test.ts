import { describe, expect, test } from "bun:test";
import { AttachmentState } from "./attachment-state.ts";
import { attachment, cachedAttachment } from "./testing/objects.ts";

const va = cachedAttachment(attachment());
const successor = cachedAttachment(attachment({ metadata: { name: "va", uid: "another" } }));
const orphan = (name: string, persistentVolumeName = "pv1") => ({
  attachment: cachedAttachment(attachment({ metadata: { name }, spec: { source: { persistentVolumeName } } })),
  volume: undefined,
  node: undefined,
});

test.each<[string, (state: AttachmentState) => void, boolean]>([
  ["nothing happened", () => {}, false],
  ["the driver contradicts it", (state) => state.forceSync("va"), true],
  ["the driver contradicts another one", (state) => state.forceSync("other"), false],
  [
    "a call for it succeeded",
    (state) => {
      state.forceSync("va");
      state.synced("va");
    },
    false,
  ],
  [
    "it was deleted",
    (state) => {
      state.forceSync("va");
      state.deleted("va");
    },
    false,
  ],
])("forced: %s", (_what, happened, expected) => {
  const state = new AttachmentState();
  happened(state);
  expect(state.isForced("va")).toBe(expected);
});

test.each<[string, (state: AttachmentState) => void, boolean]>([
  ["nothing happened", () => {}, false],
  ["its volume was detached", (state) => state.detached(va), true],
  ["the volume of its predecessor was detached", (state) => state.detached(successor), false],
  [
    "its status was saved",
    (state) => {
      state.detached(va);
      state.statusSaved("va");
    },
    false,
  ],
  [
    "it was deleted",
    (state) => {
      state.detached(va);
      state.deleted("va");
    },
    false,
  ],
])("detached: %s", (_what, happened, expected) => {
  const state = new AttachmentState();
  happened(state);
  expect(state.isDetached(va)).toBe(expected);
});

const request = { volumeId: "handle1", nodeId: "nodeID1", readonly: false, volumeContext: { a: "b" }, volumeCapability: undefined };
const publication = { request, publishContext: { device: "/dev/x" } };
test.each<[string, (state: AttachmentState) => void, boolean]>([
  ["nothing happened", () => {}, false],
  ["it was published", (state) => state.publicationUnsaved(va, publication), true],
  ["its predecessor was published", (state) => state.publicationUnsaved(successor, publication), false],
  [
    "it was published with another request",
    (state) => state.publicationUnsaved(va, { ...publication, request: { ...request, volumeContext: {} } }),
    false,
  ],
  [
    "the driver contradicts it",
    (state) => {
      state.publicationUnsaved(va, publication);
      state.forceSync("va");
    },
    false,
  ],
  [
    "its status was saved",
    (state) => {
      state.publicationUnsaved(va, publication);
      state.publicationSaved("va");
    },
    false,
  ],
  [
    "it was deleted",
    (state) => {
      state.publicationUnsaved(va, publication);
      state.deleted("va");
    },
    false,
  ],
])("unsaved publication: %s", (_what, happened, expected) => {
  const state = new AttachmentState();
  happened(state);
  expect(state.unsavedPublication(va, { ...request })).toEqual(expected ? publication.publishContext : undefined);
});

test("orphans are kept by name, beyond the deletion, until their volume is detached", () => {
  const state = new AttachmentState();
  state.orphaned(orphan("a"));
  state.orphaned(orphan("b"));
  state.orphaned(orphan("c", "pv2"));
  state.deleted("a");
  expect(state.orphan("a")).toEqual(orphan("a"));
  expect([state.orphansOfVolume("pv1"), state.orphansOfVolume("pv2"), state.orphansOfVolume("pv3")]).toEqual([2, 1, 0]);
  state.orphanDetached("a");
  expect(state.orphan("a")).toBeUndefined();
  expect(state.orphansOfVolume("pv1")).toBe(1);
});

describe("a recording of what is reconciled", () => {
  test("has what runs at its start, and what begins before its end", async () => {
    const state = new AttachmentState();
    const end = Promise.withResolvers<void>();
    const before = state.whileReconciling("before", () => end.promise);
    await state.whileReconciling("ended", async () => {});
    const recording = state.recordReconciled();
    await state.whileReconciling("during", async () => {});
    expect([...recording.names].sort()).toEqual(["before", "during"]);
    recording.stop();
    await state.whileReconciling("after", async () => {});
    expect(recording.names.has("after")).toBe(false);
    end.resolve();
    await before;
    expect([...state.recordReconciled().names]).toEqual([]);
  });

  test("what failed is no longer in progress", async () => {
    const state = new AttachmentState();
    const failing = state.whileReconciling("va", () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    expect([...state.recordReconciled().names]).toEqual([]);
  });
});
