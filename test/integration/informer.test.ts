import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { until } from "@csi-sidecars/base/testing";
import { type CachedOf, fields, InformerFactory, mergePatch, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { clientOf } from "./testing/client-of.ts";
import { attachment, volume } from "./testing/objects.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
  for (let i = 0; i < 25; i++) await cluster.admin.create(PersistentVolume, volume(`pv-${i}`));
});
afterAll(() => cluster[Symbol.asyncDispose]());

const volumeFields = fields(PersistentVolume, { metadata: { finalizers: true, annotations: ["kept"] }, spec: { csi: { driver: true } } });
type Volume = CachedOf<typeof volumeFields>;

/** Informers that end with the scope. */
function start(streaming: boolean, client = cluster.admin) {
  const stop = new AbortController();
  const informers = new InformerFactory({ client, clock: systemClock, log: silentLogger, freeze: true, streaming });
  return { informers, run: () => informers.start(stop.signal), [Symbol.dispose]: () => stop.abort() };
}

/** A handler that records its calls. */
function recordingHandler() {
  const lines: string[] = [];
  return {
    lines,
    onAdd: ({ metadata }: Volume, { initial }: { initial: boolean }) => void lines.push(`${initial ? "initial" : "add"} ${metadata.name}`),
    onUpdate: (old: Volume, { metadata }: Volume) =>
      void lines.push(`${old.metadata.resourceVersion === metadata.resourceVersion ? "resync" : "update"} ${metadata.name}`),
    onDelete: ({ metadata }: Volume) => void lines.push(`delete ${metadata.name}`),
  };
}

describe.each([
  ["streamed", true],
  ["paged", false],
])("%s lists", (_how, streaming) => {
  test("the cache holds all objects, reduced to what was declared", async () => {
    using world = start(streaming);
    const view = world.informers.forFields(volumeFields);
    expect(view.list()).toEqual([]);
    world.run();
    await view.waitForSync();
    const { items } = await cluster.admin.list(PersistentVolume);
    expect(
      view
        .list()
        .map(({ metadata }) => metadata.resourceVersion)
        .sort(),
    ).toEqual(items.map(({ metadata }) => metadata!.resourceVersion!).sort());
    const { uid = "", resourceVersion = "" } = items.find(({ metadata }) => metadata?.name === "pv-7")!.metadata!;
    expect(view.get("pv-7")).toEqual({
      metadata: { name: "pv-7", uid, resourceVersion, finalizers: ["kubernetes.io/pv-protection"] },
      spec: { csi: { driver: "csi.example.com" } },
    });
  });

  test("handlers get the existing objects and every change, late handlers too", async () => {
    using world = start(streaming);
    const view = world.informers.forFields(volumeFields);
    const early = recordingHandler();
    const registration = view.addHandler(early);
    world.run();
    await registration.waitForSync();
    expect(early.lines.filter((line) => line.startsWith("initial pv-"))).toHaveLength(25);
    early.lines.length = 0;

    const name = `changing-${streaming}`;
    await cluster.admin.create(PersistentVolume, volume(name));
    await cluster.admin.patch(PersistentVolume, { name }, mergePatch({ metadata: { annotations: { kept: "1", dropped: "1" } } }));
    await until("the annotation", () => view.get(name)?.metadata.annotations?.kept === "1");
    expect(view.get(name)?.metadata.annotations).toEqual({ kept: "1" });

    const late = recordingHandler();
    await view.addHandler(late).waitForSync();
    expect(late.lines).toContain(`initial ${name}`);
    expect(late.lines).toHaveLength(view.list().length);

    await cluster.admin.patch(PersistentVolume, { name }, mergePatch({ metadata: { finalizers: null } }));
    await cluster.admin.delete(PersistentVolume, { name });
    await until("the deletion", () => early.lines.includes(`delete ${name}`) && late.lines.includes(`delete ${name}`));
    expect(early.lines.filter((line) => line.endsWith(name))).toEqual([
      `add ${name}`,
      `update ${name}`,
      `update ${name}`,
      `delete ${name}`,
    ]);
    expect(view.get(name)).toBeUndefined();
  });

  test("one list and one watch serve all readers of a kind", async () => {
    using world = start(streaming);
    const mark = (await cluster.requests({ user: "admin", resource: "volumeattachments" })).length;
    const first = world.informers.forFields(fields(VolumeAttachment, { spec: true }));
    const second = world.informers.forFields(fields(VolumeAttachment, { status: { attached: true } }));
    world.run();
    await world.informers.waitForSync();
    const name = `shared-${streaming}`;
    await cluster.admin.create(VolumeAttachment, attachment(name));
    await until("both see it", () => first.get(name) !== undefined && second.get(name) !== undefined);
    const reads = (await cluster.requests({ user: "admin", resource: "volumeattachments" }))
      .slice(mark)
      .filter(({ verb }) => verb !== "create");
    expect(reads.map(({ verb }) => verb)).toEqual(streaming ? ["watch"] : ["list", "watch"]);
  });

  test("a field selector limits the cache", async () => {
    using world = start(streaming);
    const view = world.informers.forFields(volumeFields, { fieldSelector: "metadata.name=pv-3" });
    world.run();
    await view.waitForSync();
    expect(view.list().map(({ metadata }) => metadata.name)).toEqual(["pv-3"]);
  });
});

test("a handler that wants resyncs is called for every object again", async () => {
  using world = start(true);
  const view = world.informers.forFields(volumeFields, { fieldSelector: "metadata.name=pv-1" });
  const recorded = recordingHandler();
  view.addHandler(recorded, { resyncMs: 1_000 });
  world.run();
  await until("two resyncs", () => recorded.lines.filter((line) => line === "resync pv-1").length >= 2);
  expect(recorded.lines[0]).toBe("initial pv-1");
});

test("an informer without permission keeps waiting and reports its resource", async () => {
  const unprivileged = cluster.newUser();
  using world = start(true, clientOf(cluster, unprivileged.token));
  const view = world.informers.forFields(volumeFields);
  world.run();
  await until("the refusal", async () => (await cluster.requests({ user: unprivileged.name, code: 403 })).length > 0);
  expect([view.hasSynced(), world.informers.waitingFor()]).toEqual([false, ["persistentvolumes"]]);
});
