import { expect, test } from "bun:test";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, StatusError, VolumeSnapshot, type WatchEvent } from "@csi-sidecars/kube";
import { DeletedSnapshots } from "./deleted-snapshots.ts";

type Server = Pick<Client, "list" | "watch">;
const { signal } = new AbortController();

/** The history of a server with one deletion. */
async function* history(uid: string): AsyncGenerator<WatchEvent<never>> {
  yield { type: "DELETED", object: { metadata: { uid, resourceVersion: "7" } } as never };
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
  return { deleted: new DeletedSnapshots({ kube, clock: systemClock, log: silentLogger }, VolumeSnapshot as never), reads: () => reads };
}

test("what was deleted before is in the history, which is read once", async () => {
  const { deleted, reads } = deletedSnapshots(() => history("before"));
  deleted.add("seen");
  expect(reads()).toBe(0);
  const known = await Promise.all(["before", "seen", "never"].map((uid) => deleted.has(uid, signal)));
  expect([known, reads()]).toEqual([[true, true, false], 1]);
});

test("a server that keeps no history leaves what the watch has shown", async () => {
  const { deleted, reads } = deletedSnapshots(() => {
    throw new StatusError({ code: 410, reason: "Expired", message: "too old" });
  });
  deleted.add("seen");
  expect([await deleted.has("seen", signal), await deleted.has("before", signal), reads()]).toEqual([true, false, 1]);
});

test("a history that cannot be read is asked for again", async () => {
  const { deleted } = deletedSnapshots(() => history("before"));
  await expect(deleted.has("before", AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
  expect(await deleted.has("before", signal)).toBe(true);
});

test("the oldest of very many are forgotten", async () => {
  const { deleted } = deletedSnapshots(() => history("before"));
  for (let i = 0; i < 10_000; i++) deleted.add(`uid-${i}`);
  expect([await deleted.has("uid-0", signal), await deleted.has("uid-1", signal)]).toEqual([false, true]);
});
