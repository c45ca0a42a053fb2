import { expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { mergePatch, VolumeSnapshotClass } from "@csi-sidecars/kube";
import type { Cluster } from "./cluster.ts";
import { Definition } from "./install-definitions.ts";
import { startCluster } from "./start-cluster.ts";

const definitions = snapshotDefinitions.slice(0, 3);
const name = "volumesnapshotclasses.snapshot.storage.k8s.io";
const definition = ({ admin }: Cluster) => admin.get(Definition, { name });
const isServed = async ({ admin }: Cluster) => (await admin.discover("snapshot.storage.k8s.io/v1")) !== undefined;
const leave = ({ admin }: Cluster) =>
  admin.create(VolumeSnapshotClass, { metadata: { name: "left" }, driver: "d", deletionPolicy: "Delete" });

async function inCluster<T>(asked: typeof definitions, look: (cluster: Cluster) => Promise<T>): Promise<T> {
  await using cluster = await startCluster({ definitions: asked });
  return await look(cluster);
}

test("a test has the custom kinds that it asks for and no others, without objects of the test before", async () => {
  const first = await inCluster(definitions, async (cluster) => {
    await leave(cluster);
    return definition(cluster);
  });
  const second = await inCluster(definitions, async (cluster) => {
    expect((await cluster.admin.list(VolumeSnapshotClass)).items).toEqual([]);
    await leave(cluster);
    return definition(cluster);
  });
  if (process.env.TESTCLUSTER === "real") expect(second.metadata?.uid).toBe(first.metadata?.uid as string);
  expect(await inCluster([], isServed)).toBe(false);
  expect(await inCluster(definitions, isServed)).toBe(true);
});

test("a definition that a test has changed is as it was for the next one", async () => {
  const before = await inCluster(definitions, async (cluster) => {
    const was = await definition(cluster);
    await cluster.admin.patch(Definition, { name }, mergePatch({ spec: { names: { shortNames: ["changed"] } } }));
    return was;
  });
  const after = await inCluster(definitions, definition);
  expect(after.spec).toEqual(before.spec as never);
  expect(after.metadata?.labels).toEqual(before.metadata?.labels as never);
});
