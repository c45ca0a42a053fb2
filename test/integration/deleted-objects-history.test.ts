import { expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import { until } from "@csi-sidecars/base/testing";
import {
  type Client,
  isNotFound,
  type KubeObject,
  mergePatch,
  PersistentVolume,
  replayDeletedObjects,
  StatusError,
  type WatchEvent,
} from "@csi-sidecars/kube";
import { startCluster } from "@csi-sidecars/testcluster";
import { volume } from "./testing/objects.ts";

/** The names and versions of removed volumes, oldest first. The history of a shared server has those of other tests too. */
async function removed(client: Pick<Client, "list" | "watch">): Promise<string[]> {
  const names: string[] = [];
  await replayDeletedObjects(client, PersistentVolume, {
    ...{ clock: systemClock, signal: AbortSignal.timeout(20_000) },
    onDelete: ({ metadata }) => names.push(`${metadata?.name} ${metadata?.labels?.v ?? ""}`),
  });
  return names.filter((name) => name.startsWith("removed-"));
}

/** The protection finalizer of a volume keeps it until it is removed too. */
async function remove(admin: Client, name: string): Promise<void> {
  await admin.delete(PersistentVolume, { name });
  await admin.patch(PersistentVolume, { name }, mergePatch({ metadata: { finalizers: null } })).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  await until(`${name} to be removed`, () => admin.get(PersistentVolume, { name }).then(() => false, isNotFound));
}

test("deleted objects are reported in order and in their last state, existing ones are not", async () => {
  await using cluster = await startCluster();
  const { admin } = cluster;
  for (const name of ["removed-a", "removed-b", "stays"]) await admin.create(PersistentVolume, volume(name));
  await admin.patch(PersistentVolume, { name: "removed-b" }, mergePatch({ metadata: { labels: { v: "2" } } }));
  for (const name of ["removed-b", "removed-a"]) await remove(admin, name);
  expect((await removed(admin)).slice(-2)).toEqual(["removed-b 2", "removed-a "]);
});

test("what is deleted after the call is not reported", async () => {
  await using cluster = await startCluster();
  const { admin } = cluster;
  await admin.create(PersistentVolume, volume("removed-x"));
  await remove(admin, "removed-x");
  const asking: Pick<Client, "list" | "watch"> = {
    async list(resource, options) {
      const answer = await admin.list(resource, options);
      await admin.create(PersistentVolume, volume("removed-later"));
      await remove(admin, "removed-later");
      return answer;
    },
    watch: (resource, options) => admin.watch(resource, options),
  };
  expect((await removed(asking)).at(-1)).toBe("removed-x ");
});

test("a failed request is retried", async () => {
  await using cluster = await startCluster();
  const { admin } = cluster;
  await admin.create(PersistentVolume, volume("removed-y"));
  await remove(admin, "removed-y");
  let failures = 1;
  const failing: Pick<Client, "list" | "watch"> = {
    list: (resource, options) => admin.list(resource, options),
    async watch(resource, options) {
      if (failures-- > 0) throw new Error("not now");
      return admin.watch(resource, options);
    },
  };
  expect((await removed(failing)).at(-1)).toBe("removed-y ");
});

test("a watch that ends before a busy server has sent anything is not the end of the history", async () => {
  await using cluster = await startCluster();
  const { admin } = cluster;
  await admin.create(PersistentVolume, volume("removed-z"));
  await remove(admin, "removed-z");
  let silent = 2;
  const busy: Pick<Client, "list" | "watch"> = {
    list: (resource, options) => admin.list(resource, options),
    watch: async (resource, options) => (silent-- > 0 ? nothing() : admin.watch(resource, options)),
  };
  expect((await removed(busy)).at(-1)).toBe("removed-z ");
});

async function* nothing(): AsyncGenerator<never> {}

test("a bookmark from before the call is not the end of the history: the watches of a busy server lag behind its lists", async () => {
  await using cluster = await startCluster();
  const { admin } = cluster;
  const { metadata: before } = await admin.list(PersistentVolume, { limit: 1 });
  await admin.create(PersistentVolume, volume("removed-w"));
  await remove(admin, "removed-w");
  let lagging = 2;
  const busy: Pick<Client, "list" | "watch"> = {
    list: (resource, options) => admin.list(resource, options),
    watch: async (resource, options) => (lagging-- > 0 ? bookmark(before.resourceVersion) : admin.watch(resource, options)),
  };
  expect((await removed(busy)).at(-1)).toBe("removed-w ");
});

async function* bookmark<T extends KubeObject>(resourceVersion = ""): AsyncGenerator<WatchEvent<T>> {
  yield { type: "BOOKMARK", object: { metadata: { resourceVersion } } as T };
}

test("a server that does not say how far its history reaches is asked once", async () => {
  await using cluster = await startCluster();
  let asked = 0;
  const compacted: Pick<Client, "list" | "watch"> = {
    list: (resource, options) => cluster.admin.list(resource, options),
    async watch() {
      asked++;
      throw new StatusError({ code: 410, reason: "Expired", message: "The resourceVersion for the provided watch is too old." });
    },
  };
  await expect(removed(compacted)).rejects.toThrow("too old");
  expect(asked).toBe(1);
});

test("a compacted history reports nothing", async () => {
  await using cluster = await startCluster({ own: true });
  const { admin } = cluster;
  await admin.create(PersistentVolume, volume("removed-x"));
  await remove(admin, "removed-x");
  await cluster.compact();
  await cluster.stop();
  await cluster.start();
  expect(await removed(admin)).toEqual([]);
});
