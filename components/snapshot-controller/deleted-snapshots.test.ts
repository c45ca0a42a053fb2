import { expect, test } from "bun:test";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, StatusError, VolumeSnapshot, type WatchEvent } from "@csi-sidecars/kube";
import { DeletedSnapshots, type Deletion } from "./deleted-snapshots.ts";

type Server = Pick<Client, "list" | "watch">;
const { signal } = new AbortController();

/** The history of a server with one deletion. */
async function* history(uid: string, metadata = {}): AsyncGenerator<WatchEvent<never>> {
  yield { type: "DELETED", object: { metadata: { uid, resourceVersion: "7", ...metadata } } as never };
  yield { type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } as never };
}

function deletedSnapshots(watch: () => AsyncGenerator<WatchEvent<never>>): { readonly deleted: DeletedSnapshots<never>; reads(): number } {
  let reads = 0;
  const kube = {
    async list() {
      reads++;
      return { metadata: { resourceVersion: "9" }, items: [] };
    },
    watch: async () => watch(),
  } as unknown as Server;
  return {
    deleted: new DeletedSnapshots({ kube, clock: systemClock, log: silentLogger }, VolumeSnapshot as never, "ours"),
    reads: () => reads,
  };
}

test("what was deleted before is in the history, which is read once", async () => {
  const { deleted, reads } = deletedSnapshots(() => history("before"));
  deleted.add({ uid: "seen" });
  expect(reads()).toBe(0);
  const known = await Promise.all(["before", "seen", "never"].map((uid) => deleted.find(uid, signal)));
  expect([known, reads()]).toEqual([["regular", "regular", undefined], 1]);
});

test.each<[string, object, Deletion]>([
  ["ours is still there", { finalizers: ["others", "ours"] }, "under our finalizer"],
  ["it waited for ours", { finalizers: ["ours"], deletionTimestamp: "2026-01-01T00:00:00Z" }, "regular"],
  ["somebody has removed ours", { finalizers: ["others"] }, "regular"],
])("how a snapshot was deleted: %s", async (_, metadata, expected) => {
  const { deleted } = deletedSnapshots(() => history("before", metadata));
  deleted.add({ uid: "seen", ...metadata });
  expect([await deleted.find("before", signal), await deleted.find("seen", signal)]).toEqual([expected, expected]);
});

test("a server that keeps no history leaves what the watch has shown", async () => {
  const { deleted, reads } = deletedSnapshots(() => {
    throw new StatusError({ code: 410, reason: "Expired", message: "too old" });
  });
  deleted.add({ uid: "seen" });
  expect([await deleted.find("seen", signal), await deleted.find("before", signal), reads()]).toEqual(["regular", undefined, 1]);
});

test("a history that cannot be read is asked for again", async () => {
  const { deleted } = deletedSnapshots(() => history("before"));
  await expect(deleted.find("before", AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
  expect(await deleted.find("before", signal)).toBe("regular");
});

test("the oldest of very many are forgotten", async () => {
  const { deleted } = deletedSnapshots(() => history("before"));
  for (let i = 0; i < 10_000; i++) deleted.add({ uid: `uid-${i}` });
  expect([await deleted.find("uid-0", signal), await deleted.find("uid-1", signal)]).toEqual([undefined, "regular"]);
});
