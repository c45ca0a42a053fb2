import { describe, expect, test } from "bun:test";
import { attacher } from "@csi-sidecars/attacher";
import { until } from "@csi-sidecars/base/testing";
import { mergePatch, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "@csi-sidecars/kube";
import { provisioner } from "@csi-sidecars/provisioner";
import { resizer } from "@csi-sidecars/resizer";
import { type ComponentRun, type Script, startCluster, startComponent, startScriptedDriver, step } from "@csi-sidecars/testcluster";
import { claimOf, className, driverName, handleOf, inDefault, statusOf, volumeOf } from "../../components/resizer/testing/objects.ts";

/** Attacher, provisioner and resizer in one process, for a driver that can do everything and an API server that counts. */
async function startThree(flags: readonly string[], script: Script = {}) {
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await startCluster());
  const driver = opened.use(
    await startScriptedDriver({ name: driverName, capabilities: "full", script, volumes: [{ id: handleOf("data") }] }),
  );
  const { admin } = cluster;
  await admin.create(StorageClass, { metadata: { name: className }, provisioner: driverName, allowVolumeExpansion: true });
  const claim = await admin.create(PersistentVolumeClaim, claimOf());
  await admin.create(PersistentVolume, volumeOf({}, claim.metadata?.uid ?? ""));
  await admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ status: statusOf() }), { subresource: "status" });
  const run = opened.use(await startComponent(attacher, { cluster, driver, beside: [provisioner, resizer], flags }));
  await until("all three", async () => (await page(run)).split("ok (running)").length === 4);
  const keep = opened.move();
  return { ...{ admin, driver, run }, [Symbol.asyncDispose]: () => keep.disposeAsync() };
}

const page = async (run: ComponentRun) => (await fetch(`${await run.url()}/readyz?verbose`)).text();

/** The kinds that are cached, once for each watch that fills a cache. The attacher also reads the history of attachments once, without a cache. */
async function watches(run: ComponentRun): Promise<readonly string[]> {
  const requests = await run.requests();
  return requests
    .filter(({ query }) => query.includes("sendInitialEvents=true"))
    .map(({ resource }) => resource)
    .sort();
}

/** Lets the claim grow; resolves when the driver was asked. */
async function grow({ admin, driver }: Awaited<ReturnType<typeof startThree>>): Promise<void> {
  await admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ spec: { resources: { requests: { storage: "2Gi" } } } }));
  await driver.called("ControllerExpandVolume");
}

const kinds = [
  "csinodes",
  "nodes",
  "persistentvolumeclaims",
  "persistentvolumes",
  "storageclasses",
  "volumeattachments",
  "volumeattributesclasses",
];
const inUse: Script = { ControllerExpandVolume: [step.fail("FailedPrecondition", "in use"), step.fail("FailedPrecondition", "in use")] };
const fast = ["--retry-interval-start=10ms", "--retry-interval-max=50ms"];

describe("attacher, provisioner and resizer in one process", () => {
  test("have one watch of each kind, and ask once what the cluster serves", async () => {
    await using world = await startThree(fast);
    await grow(world);
    expect(await watches(world.run)).toEqual(kinds);
    const requests = await world.run.requests();
    expect(requests.filter(({ path }) => path === "/apis/storage.k8s.io/v1")).toHaveLength(1);
    expect(requests.filter(({ code }) => code === 403)).toEqual([]);
  });

  test("watch pods when the driver has refused to expand a volume that is in use, and not before", async () => {
    await using world = await startThree(fast, inUse);
    const { admin, run } = world;
    await admin.create(Pod, {
      metadata: inDefault("app"),
      spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] },
    });
    expect(await watches(run)).not.toContain("pods");
    await grow(world);
    await until("the watch", async () => (await watches(run)).includes("pods"));
    expect(await watches(run)).toEqual([...kinds, "pods"].sort());
    expect((await run.requests()).filter(({ code }) => code === 403)).toEqual([]);
  });

  test("need not be allowed to read pods with --resizer-handle-volume-inuse-error=false", async () => {
    await using world = await startThree([...fast, "--resizer-handle-volume-inuse-error=false"], inUse);
    await grow(world);
    await world.driver.called("ControllerExpandVolume", 3);
    expect(await watches(world.run)).toEqual(kinds);
    expect((await world.run.requests()).filter(({ code }) => code === 403)).toEqual([]);
  });
});
