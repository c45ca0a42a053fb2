import { expect, test } from "bun:test";
import type { Client, KubeObject, Resource } from "@csi-sidecars/kube";
import type { DriverInfo } from "../driver/driver.ts";
import { createBoth, deleteOurs } from "./key-objects.ts";

/** A client of a cluster with one claim and one pod of the keys, and two claims of somebody else. */
function startWorld() {
  const created: string[] = [];
  const deleted: string[] = [];
  const client = {
    create: async ({ kind }: Resource, { metadata }: KubeObject) => void created.push(`${kind} ${metadata?.name}`),
    list: async ({ kind }: Resource, { labelSelector = "" }) => {
      const names = labelSelector.includes("!=") ? ["theirs-1", "theirs-2"] : kind.includes("Snapshot") ? [] : ["ours"];
      return { items: names.map((name) => ({ metadata: { name, namespace: "default" } })) };
    },
    delete: async ({ kind }: Resource, { name }: { readonly name: string }) => void deleted.push(`${kind} ${name}`),
  };
  return { created, deleted, admin: client as unknown as Client };
}

test("keys that are typed fast create objects of different names", async () => {
  const { admin, created } = startWorld();
  await Promise.all(Array.from({ length: 3 }, () => createBoth(admin, "data")));
  expect(new Set(created).size).toBe(6);
});

test("a deletion says what is deleted, and what stays", async () => {
  const { admin, deleted } = startWorld();
  const info = { snapshots: true, groupSnapshots: false } as DriverInfo;
  expect(await deleteOurs(admin, info)).toBe(
    "deleted what the keys have created: 0 snapshots, 1 pod, 1 claim; 2 claims that others created stay",
  );
  expect(deleted).toEqual(["Pod ours", "PersistentVolumeClaim ours"]);
});
