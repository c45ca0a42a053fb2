import { describe, expect, test } from "bun:test";
import { CSINode, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { type DriverOptions, presets, step } from "@csi-sidecars/testcluster";
import { type AttacherWorld, startWorld, type WorldOptions } from "../testing/attacher-world.ts";
import { attachment, csiNode, foreign, inlineSpec, prepared, volume } from "../testing/objects.ts";

const lists: DriverOptions = { capabilities: presets.attachable };

/** A component that compares all the time, beginning when the test says so. */
function comparing(options: WorldOptions = {}): Promise<AttacherWorld> {
  return startWorld({
    stopped: true,
    ...options,
    driver: { ...lists, ...options.driver },
    flags: { reconcileSync: 20, ...options.flags },
  });
}

async function attached(world: AttacherWorld, object = prepared(), nodeId = "nodeID1"): Promise<void> {
  await world.create(CSINode, csiNode("node1", nodeId));
  await world.create(PersistentVolume, volume({ metadata: { finalizers: ["external-attacher/csi-example-com"] } }));
  await world.createAttachment(object, { attached: true, attachmentMetadata: { device: "/dev/disk/by-id/handle1", old: "1" } });
}

const publishes = (world: AttacherWorld) => world.driver.calls("ControllerPublishVolume").length;
const passes = async (world: AttacherWorld, more: number) =>
  world.driver.called("ListVolumes", world.driver.calls("ListVolumes").length + more);
const publishedThere = (world: AttacherWorld) =>
  world.driver.volumes.get("handle1")!.published.set("nodeID1", { readonly: false, accessMode: 5 });

describe("the driver lists what is attached", () => {
  test("attached and listed: nothing to do", async () => {
    await using world = await comparing();
    await attached(world);
    publishedThere(world);
    await world.run();
    await passes(world, 4);
    expect(publishes(world)).toBe(0);
    expect(await world.requests()).toEqual([]);
  });

  test("attached and lost: it is published again, once each time, after the second comparison", async () => {
    await using world = await comparing();
    await attached(world);
    await world.run();
    await world.driver.called("ControllerPublishVolume");
    expect(world.driver.calls("ListVolumes").length).toBeGreaterThanOrEqual(2);
    await passes(world, 3);
    expect(publishes(world)).toBe(1);
    expect((await world.get(VolumeAttachment, "va")).status).toEqual({
      attached: true,
      attachmentMetadata: { device: "/dev/disk/by-id/handle1" },
    });
    world.driver.volumes.get("handle1")!.published.clear();
    await world.driver.called("ControllerPublishVolume", 2);
  });

  test("an inline volume is compared too", async () => {
    await using world = await comparing();
    await attached(world, prepared({ source: { inlineVolumeSpec: inlineSpec() } }));
    await world.run();
    await world.driver.called("ControllerPublishVolume");
  });

  test("a migrated disk is compared under the handle that the driver lists", async () => {
    const name = "pd.csi.storage.gke.io";
    const node = "projects/p/zones/z/instances/n";
    const id = "projects/p/zones/z/disks/testpd";
    await using world = await comparing({ driver: { name, volumes: [{ id }, { id: "projects/UNSPECIFIED/zones/z/disks/testpd" }] } });
    await world.create(CSINode, csiNode("node1", node, name));
    const labels = { "topology.kubernetes.io/zone": "z" };
    await world.create(
      PersistentVolume,
      volume({ metadata: { labels }, spec: { csi: undefined, gcePersistentDisk: { pdName: "testpd" } } }),
    );
    await world.createAttachment(attachment({ spec: { attacher: name } }), { attached: true });
    world.driver.volumes.get(id)!.published.set(node, { readonly: false, accessMode: 1 });
    await world.run();
    await passes(world, 4);
    expect(publishes(world)).toBe(0);
    world.driver.volumes.get(id)!.published.clear();
    await world.driver.called("ControllerPublishVolume");
  });

  test("a failed attempt is made again with backoff until it succeeds; the attachment stays attached meanwhile", async () => {
    const refuse = step.fail("Internal", "not now");
    await using world = await comparing({ driver: { script: { ControllerPublishVolume: [refuse, refuse, refuse] } } });
    await attached(world);
    await world.run();
    await world.driver.called("ControllerPublishVolume", 4);
    await world.until((va) => va.status?.attached && !va.status.attachError);
    await passes(world, 3);
    expect(publishes(world)).toBe(4);
    expect(world.errors()).toContain("attach: rpc error: code = Internal desc = not now (13)");
  });

  test("without our finalizer and still listed: it is unpublished, nothing is written", async () => {
    await using world = await comparing();
    await attached(world, prepared({}, { finalizers: [foreign] }));
    await world.admin.patch(
      VolumeAttachment,
      { name: "va" },
      { type: "merge", body: { status: { attached: false } } },
      { subresource: "status" },
    );
    await world.admin.delete(VolumeAttachment, { name: "va" });
    publishedThere(world);
    await world.run();
    await world.driver.called("ControllerUnpublishVolume");
    await passes(world, 3);
    expect(world.driver.calls("ControllerUnpublishVolume")).toHaveLength(1);
    expect(await world.requests()).toEqual([]);
  });

  test("published without an attachment, or by an attachment of others: nothing to do", async () => {
    await using world = await comparing();
    await attached(world, prepared({ attacher: "other.example.com" }));
    world.driver.volumes.get("handle2")!.published.set("nodeID1", { readonly: false, accessMode: 5 });
    await world.run();
    await passes(world, 4);
    expect(world.driver.calls().filter(({ method }) => /Publish|Unpublish/.test(method))).toEqual([]);
  });

  test("all pages are read; entries that say nothing are skipped", async () => {
    const volumes = ["handle1", "handle2", "handle3", "handle4", "handle5"].map((id) => ({ id }));
    await using world = await comparing({ driver: { volumes }, flags: { maxEntries: 2 } });
    world.driver.script(
      "ListVolumes",
      step.reply({ entries: [{}, { volume: { volumeId: "handle1" } }, { status: { publishedNodeIds: ["nodeID1"] } }] }),
    );
    await attached(world);
    publishedThere(world);
    await world.run();
    await passes(world, 7);
    expect(
      world.driver
        .calls("ListVolumes")
        .slice(1, 4)
        .map(({ request }) => [request.maxEntries, request.startingToken !== ""]),
    ).toEqual([
      [2, false],
      [2, true],
      [2, true],
    ]);
    expect(publishes(world)).toBe(0);
  });

  test("each page has the time limit to itself", async () => {
    const slow = step.delay(60);
    await using world = await comparing({
      flags: { maxEntries: 1, timeout: 150 },
      driver: { volumes: ["a", "b", "handle1"].map((id) => ({ id })) },
    });
    world.driver.always("ListVolumes", slow);
    await attached(world);
    await world.run();
    await world.driver.called("ControllerPublishVolume");
  });

  test("a list that breaks off, or never ends, forces nothing", async () => {
    await using world = await comparing();
    world.driver.script("ListVolumes", step.reply({ nextToken: "1" }), step.fail("Internal", "broken"));
    world.driver.always("ListVolumes", step.reply({ nextToken: "again" }));
    await attached(world);
    await world.run();
    await passes(world, 8);
    expect(publishes(world)).toBe(0);
    const errors = world.log.lines.filter(({ severity }) => severity === "error").map(({ error }) => String(error));
    expect(errors).toContain("Error: failed to ListVolumes: failed to list volumes: rpc error: code = Internal desc = broken");
    expect(errors).toContain(
      "Error: failed to ListVolumes: failed to list volumes: the driver's ListVolumes gave the same next_token twice",
    );
  });

  test("what is worked on while the driver lists is left alone: a failure waits for its backoff", async () => {
    const failing = step.waitFor("go", step.fail("Internal", "no"));
    await using world = await comparing({
      flags: { retryIntervalStart: 300, retryIntervalMax: 300 },
      driver: { script: { ControllerPublishVolume: [failing] } },
    });
    await world.create(CSINode, csiNode());
    await world.create(PersistentVolume, volume());
    await world.run();
    await world.createAttachment(attachment());
    await world.driver.called("ControllerPublishVolume");
    publishedThere(world);
    await passes(world, 4);
    world.driver.volumes.get("handle1")!.published.clear();
    world.driver.release("go");
    await world.until((va) => va.status?.attached);
    const [first, second] = world.driver.calls("ControllerPublishVolume");
    expect(second!.startedAt - first!.endedAt!).toBeGreaterThanOrEqual(298);
    await passes(world, 3);
    expect(publishes(world)).toBe(2);
  });
});

test("a driver that lists no nodes is not asked", async () => {
  const controller = presets.attachable.controller.filter((each) => each !== "LIST_VOLUMES_PUBLISHED_NODES");
  await using world = await startWorld({ driver: { capabilities: { ...presets.attachable, controller } }, flags: { reconcileSync: 1 } });
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume());
  await world.createAttachment(attachment());
  await world.until((va) => va.status?.attached);
  expect(world.driver.calls("ListVolumes")).toEqual([]);
});
