import { expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import { type Client, mergePatch, PersistentVolume, replayDeletedObjects, StatusError } from "@csi-sidecars/kube";
import { startCluster } from "@csi-sidecars/testcluster";
import { volume } from "./testing/objects.ts";

/** The names and versions of removed volumes, oldest first. A server that other tests used remembers theirs too. */
async function removed(client: Pick<Client, "list" | "watch">): Promise<string[]> {
  const names: string[] = [];
  await replayDeletedObjects(client, PersistentVolume, {
    ...{ clock: systemClock, signal: AbortSignal.timeout(20_000) },
    onDelete: ({ metadata }) => names.push(`${metadata?.name} ${metadata?.labels?.v ?? ""}`),
  });
  return names.filter((name) => name.startsWith("removed-"));
}

test("what was removed is told in order, as it was last, and nothing that is still there", async () => {
  await using cluster = await startCluster();
  const { admin } = cluster;
  for (const name of ["removed-a", "removed-b", "stays"]) await admin.create(PersistentVolume, volume(name));
  await admin.patch(PersistentVolume, { name: "removed-b" }, mergePatch({ metadata: { labels: { v: "2" } } }));
  for (const name of ["removed-b", "removed-a"]) {
    await admin.delete(PersistentVolume, { name });
    await admin.patch(PersistentVolume, { name }, mergePatch({ metadata: { finalizers: null } })).catch(() => undefined);
  }
  expect((await removed(admin)).slice(-2)).toEqual(["removed-b 2", "removed-a "]);
});

test("what comes after the question is no part of the answer", async () => {
  await using cluster = await startCluster();
  const { admin } = cluster;
  await admin.create(PersistentVolume, volume("removed-x"));
  await admin.delete(PersistentVolume, { name: "removed-x" });
  await admin.patch(PersistentVolume, { name: "removed-x" }, mergePatch({ metadata: { finalizers: null } })).catch(() => undefined);
  const asking: Pick<Client, "list" | "watch"> = {
    async list(resource, options) {
      const answer = await admin.list(resource, options);
      await admin.create(PersistentVolume, volume("removed-later"));
      await admin.delete(PersistentVolume, { name: "removed-later" });
      return answer;
    },
    watch: (resource, options) => admin.watch(resource, options),
  };
  expect((await removed(asking)).at(-1)).toBe("removed-x ");
});

test("a server that cannot be asked is asked again", async () => {
  await using cluster = await startCluster();
  const { admin } = cluster;
  await admin.create(PersistentVolume, volume("removed-y"));
  await admin.delete(PersistentVolume, { name: "removed-y" });
  await admin.patch(PersistentVolume, { name: "removed-y" }, mergePatch({ metadata: { finalizers: null } })).catch(() => undefined);
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

test("a server that does not say how far back it remembers is asked once", async () => {
  await using cluster = await startCluster();
  let asked = 0;
  const taciturn: Pick<Client, "list" | "watch"> = {
    list: (resource, options) => cluster.admin.list(resource, options),
    async watch() {
      asked++;
      throw new StatusError({ code: 410, reason: "Expired", message: "The resourceVersion for the provided watch is too old." });
    },
  };
  await expect(removed(taciturn)).rejects.toThrow("too old");
  expect(asked).toBe(1);
});

test("a server that has forgotten everything tells nothing", async () => {
  await using cluster = await startCluster({ own: true });
  const { admin } = cluster;
  await admin.create(PersistentVolume, volume("removed-x"));
  await admin.delete(PersistentVolume, { name: "removed-x" });
  await cluster.compact();
  await cluster.stop();
  await cluster.start();
  expect(await removed(admin)).toEqual([]);
});
