import { expect, test } from "bun:test";
import { VolumeAttachment } from "@csi-sidecars/kube";
import { type Cluster, step } from "@csi-sidecars/testcluster";
import { inParallel } from "./in-parallel.ts";
import { addNode, addVolume, attach, attachments } from "./objects.ts";
import { until } from "./until.ts";
import { startE2eWorld, type World } from "./world.ts";

const detaches = 1_000;
const attaches = 50;
const callMs = 50;

test("50 attaches among 1,000 detaches on a slow driver take less than twice as long as alone", async () => {
  await using world = await startE2eWorld();
  const { cluster, driver } = world;
  await addNode(cluster, "node", driver.settings.name);
  world.start("pod", ["--controllers=attacher", `--kubeconfig=${await world.kubeconfig("attacher")}`, "--kube-api-qps=-1"]);

  const old = Array.from({ length: detaches }, (_, i) => `old-${i}`);
  await inParallel(old, async (name) => {
    await addVolume(world, name);
    await attach(cluster, name, "node", driver.settings.name);
  });
  await until("the old volumes attached", async () => (await attachments(cluster)).every((va) => va.status?.attached), 60_000);

  driver.always("ControllerPublishVolume", step.delay(callMs));
  driver.always("ControllerUnpublishVolume", step.delay(callMs));
  const idle = await attachTimes(world, "idle");
  await inParallel(old, (name) => cluster.admin.delete(VolumeAttachment, { name: `va-${name}` }));
  const busy = await attachTimes(world, "busy");
  const left = old.filter((name) => driver.publishedTo(`id-${name}`).length > 0).length;

  console.log(`p95 of attaching: ${p95(idle).toFixed(0)} ms alone, ${p95(busy).toFixed(0)} ms among detaches (${left} left)`);
  expect(left).toBeGreaterThan(0);
  expect(p95(busy) / p95(idle)).toBeLessThan(2);
  await until("the old volumes detached", async () => (await attachments(cluster)).length === 2 * attaches, 60_000);
  expect(old.filter((name) => driver.publishedTo(`id-${name}`).length > 0)).toEqual([]);
  expect(driver.overlaps()).toEqual([]);
}, 120_000);

/** How long each of some attachments took from its creation to its status, five at a time. */
async function attachTimes(world: World, prefix: string): Promise<readonly number[]> {
  const { cluster, driver } = world;
  const names = Array.from({ length: attaches }, (_, i) => `${prefix}-${i}`);
  await inParallel(names, (name) => addVolume(world, name));
  using seen = await watchAttached(cluster);
  const times: number[] = [];
  const attachOne = async (name: string) => {
    const started = performance.now();
    const done = seen.attached(`va-${name}`);
    await attach(cluster, name, "node", driver.settings.name);
    await done;
    times.push(performance.now() - started);
  };
  await inParallel(names, attachOne, 5);
  return times;
}

/** Sees attachments become attached as soon as the API server tells. */
async function watchAttached(cluster: Cluster): Promise<Disposable & { attached(name: string): Promise<void> }> {
  const stop = new AbortController();
  const waiting = new Map<string, () => void>();
  const { metadata } = await cluster.admin.list(VolumeAttachment, { limit: 1 });
  const { resourceVersion = "" } = metadata;
  const events = await cluster.admin.watch(VolumeAttachment, { resourceVersion, signal: stop.signal });
  const follow = async () => {
    for await (const { type, object } of events)
      if (type === "MODIFIED" && object.status?.attached) waiting.get(object.metadata?.name ?? "")?.();
  };
  void follow().catch((error) => {
    if (!stop.signal.aborted) throw error;
  });
  return {
    attached: (name) => new Promise<void>((resolve) => waiting.set(name, resolve)),
    [Symbol.dispose]: () => stop.abort(),
  };
}

function p95(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN;
}
