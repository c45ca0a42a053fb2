import { describe, expect, test } from "bun:test";
import { CSINode, PersistentVolume, Secret, VolumeAttachment } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { type AttacherWorld, startWorld } from "./testing/attacher-world.ts";
import { attachment, csiNode, finalizer, nodeIdAnnotation, prepared, volume } from "./testing/objects.ts";

const to = (name: string, nodeName: string, persistentVolumeName = "pv1") =>
  attachment({ metadata: { name }, spec: { nodeName, source: { persistentVolumeName } } });
const second = volume({ metadata: { name: "pv2" }, csi: { volumeHandle: "handle2" } });
const minute = { retryIntervalStart: 60_000, retryIntervalMax: 60_000 };

async function twoNodes(world: AttacherWorld): Promise<void> {
  await world.create(CSINode, csiNode("node1", "nodeID1"));
  await world.create(CSINode, csiNode("node2", "nodeID2"));
  await world.create(PersistentVolume, volume());
  await world.create(PersistentVolume, second);
}

function publishCalls(world: AttacherWorld): string[] {
  return world.driver
    .calls()
    .filter(({ method }) => method.endsWith("publishVolume") || method.endsWith("PublishVolume"))
    .map(({ method, request }) => `${method.replace(/^Controller|Volume$/g, "")} ${"nodeId" in request ? request.nodeId : ""}`);
}

describe("one call about a volume at a time", () => {
  test("two attachments of one volume are attached one after the other; the volume gets one finalizer", async () => {
    await using world = await startWorld({ driver: { script: { ControllerPublishVolume: [step.waitFor("go")] } } });
    await twoNodes(world);
    await world.create(VolumeAttachment, to("a", "node1"));
    await world.create(VolumeAttachment, to("b", "node2"));
    await world.driver.called("ControllerPublishVolume");
    await world.create(VolumeAttachment, to("other", "node1", "pv2"));
    await world.until((va) => va.status?.attached, "other");
    expect(world.driver.publishedTo("handle1")).toEqual([]);
    world.driver.release("go");
    for (const name of ["a", "b"]) await world.until((va) => va.status?.attached, name);
    expect(world.driver.overlaps()).toEqual([]);
    expect(world.driver.publishedTo("handle1").sort()).toEqual(["nodeID1", "nodeID2"]);
    const { metadata } = await world.get(PersistentVolume, "pv1");
    expect(metadata?.finalizers?.filter((each) => each === finalizer)).toHaveLength(1);
    expect(await world.refused()).toEqual([]);
  });

  test("an attachment that is deleted while it is published is detached afterwards", async () => {
    await using world = await startWorld({ driver: { script: { ControllerPublishVolume: [step.waitFor("go")] } } });
    await twoNodes(world);
    await world.create(VolumeAttachment, attachment());
    await world.driver.called("ControllerPublishVolume");
    await world.admin.delete(VolumeAttachment, { name: "va" });
    await world.create(VolumeAttachment, to("later", "node1", "pv2"));
    await world.until((va) => va.status?.attached, "later");
    expect(world.driver.calls("ControllerUnpublishVolume")).toEqual([]);
    world.driver.release("go");
    await world.untilGone(VolumeAttachment, "va");
    expect(world.driver.overlaps()).toEqual([]);
    expect(world.driver.publishedTo("handle1")).toEqual([]);
    expect((await world.requests()).filter((request) => request.endsWith(" va"))).toEqual([
      "patch volumeattachments va",
      "patch volumeattachments/status va",
      "patch volumeattachments va",
    ]);
  });

  test("a volume that moves is detached from its old node first; others do not wait, even with one worker", async () => {
    await using world = await startWorld({
      flags: { workerThreads: 1 },
      driver: { script: { ControllerUnpublishVolume: [step.waitFor("go")] } },
    });
    await twoNodes(world);
    await world.create(VolumeAttachment, to("old", "node1"));
    await world.until((va) => va.status?.attached, "old");
    await world.admin.delete(VolumeAttachment, { name: "old" });
    await world.driver.called("ControllerUnpublishVolume");
    await world.create(VolumeAttachment, to("new", "node2"));
    await world.create(VolumeAttachment, to("other", "node2", "pv2"));
    await world.until((va) => va.status?.attached, "other");
    world.driver.release("go");
    await world.until((va) => va.status?.attached, "new");
    expect(publishCalls(world)).toEqual(["Publish nodeID1", "Unpublish nodeID1", "Publish nodeID2", "Publish nodeID2"]);
    expect(world.driver.overlaps()).toEqual([]);
  });

  test("many attachments of many volumes: three requests to attach, one to detach, none refused, one call each", async () => {
    const count = 20;
    const names = Array.from({ length: count }, (_, index) => `v${index}`);
    await using world = await startWorld({ driver: { volumes: names.map((id) => ({ id })) } });
    await world.create(CSINode, csiNode());
    await Promise.all(names.map((name) => world.create(PersistentVolume, volume({ metadata: { name }, csi: { volumeHandle: name } }))));
    await Promise.all(names.map((name) => world.create(VolumeAttachment, to(name, "node1", name))));
    for (const name of names) await world.until((va) => va.status?.attached, name);
    const attaching = (await world.requests()).length;
    await Promise.all(names.map((name) => world.admin.delete(VolumeAttachment, { name })));
    for (const name of names) await world.untilGone(VolumeAttachment, name);
    const detaching = (await world.requests()).length - attaching;
    expect([attaching / count, detaching / count]).toEqual([3, 1]);
    expect(await world.refused()).toEqual([]);
    expect(publishCalls(world)).toHaveLength(2 * count);
  });
});

describe("what the watch has not shown yet", () => {
  test("nothing is written or called twice, however late the watch shows our own writes", async () => {
    await using world = await startWorld({ driver: { script: { ControllerPublishVolume: [step.fail("Internal", "no")] } } });
    await twoNodes(world);
    world.disturb({ resource: VolumeAttachment, how: "unseen", times: 1 });
    await world.create(VolumeAttachment, attachment());
    await world.until((va) => va.status?.attached);
    world.releaseWatches();
    await world.create(VolumeAttachment, to("later", "node1", "pv2"));
    await world.until((va) => va.status?.attached, "later");
    expect(publishCalls(world)).toHaveLength(3);
    expect((await world.requests()).filter((request) => request.endsWith(" va"))).toEqual([
      "patch volumeattachments va",
      "patch volumeattachments/status va",
      "patch volumeattachments/status va",
    ]);
  });

  test("an attachment that turns out to be deleted when its new node id is written is detached, not published", async () => {
    await using world = await startWorld({ stopped: true });
    await twoNodes(world);
    await world.createAttachment(prepared({}, { annotations: { [nodeIdAnnotation]: "older" } }));
    const meanwhile = () => world.admin.delete(VolumeAttachment, { name: "va" });
    world.disturb({ resource: PersistentVolume, how: "unseen", times: 1, meanwhile });
    await world.run();
    await world.untilGone(VolumeAttachment, "va");
    expect(publishCalls(world)).toEqual(["Unpublish nodeID1"]);
  });

  test("neither our writes nor our errors shorten the backoff of a failure", async () => {
    const no = step.fail("Internal", "no");
    await using world = await startWorld({
      flags: { retryIntervalStart: 80, retryIntervalMax: 10_000 },
      driver: { script: { ControllerPublishVolume: [no, no, no] } },
    });
    await twoNodes(world);
    await world.create(VolumeAttachment, attachment());
    await world.until((va) => va.status?.attached);
    const times = world.driver.calls("ControllerPublishVolume").map(({ startedAt }) => startedAt);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses.map((pause, index) => pause >= 80 * 2 ** index - 2)).toEqual([true, true, true]);
  });
});

describe("what was missing appears", () => {
  test.each<[string, (world: AttacherWorld) => Promise<unknown>, (world: AttacherWorld) => Promise<unknown>]>([
    ["the node", (world) => world.create(PersistentVolume, volume()), (world) => world.create(CSINode, csiNode())],
    [
      "the driver on the node",
      async (world) => {
        await world.create(PersistentVolume, volume());
        await world.create(CSINode, { metadata: { name: "node1" }, spec: { drivers: [] } });
      },
      (world) => world.admin.patch(CSINode, { name: "node1" }, { type: "merge", body: { spec: csiNode().spec } }),
    ],
    ["the volume", (world) => world.create(CSINode, csiNode()), (world) => world.create(PersistentVolume, volume())],
  ])("%s: the attachment does not wait for its backoff", async (_what, before, then) => {
    await using world = await startWorld({ flags: minute });
    await before(world);
    await world.create(VolumeAttachment, attachment());
    await world.until((va) => va.status?.attachError);
    await then(world);
    await world.until((va) => va.status?.attached && !va.status.attachError);
  });

  test("the next resync retries whatever else was missing", async () => {
    await using world = await startWorld({ flags: { ...minute, resync: 1_000 } });
    await world.create(CSINode, csiNode());
    await world.create(PersistentVolume, volume({ csi: { controllerPublishSecretRef: { name: "s", namespace: "default" } } }));
    await world.create(VolumeAttachment, attachment());
    await world.until((va) => va.status?.attachError);
    await world.create(Secret, { metadata: { name: "s", namespace: "default" } });
    await world.until((va) => va.status?.attached);
  });
});

describe("interruptions", () => {
  test("a stop lets the call in flight end and its result be written, and begins nothing new", async () => {
    await using world = await startWorld({ driver: { script: { ControllerPublishVolume: [step.waitFor("go")] } } });
    await twoNodes(world);
    await world.create(VolumeAttachment, attachment());
    await world.driver.called("ControllerPublishVolume");
    const stopped = world.stop();
    await world.create(VolumeAttachment, to("later", "node1", "pv2"));
    world.driver.release("go");
    await stopped;
    expect((await world.get(VolumeAttachment, "va")).status?.attached).toBe(true);
    expect((await world.get(VolumeAttachment, "later")).metadata?.finalizers).toBeUndefined();
    expect(publishCalls(world)).toHaveLength(1);
  });

  test.each([
    ["before it acts", step.crash(30)],
    ["after it acted", step.crashAfter(30)],
  ])("the call is retried when a driver that crashed %s is back", async (_what, crash) => {
    await using world = await startWorld({ driver: { script: { ControllerPublishVolume: [crash] } } });
    await twoNodes(world);
    await world.create(VolumeAttachment, attachment());
    await world.until((va) => va.status?.attached);
    expect(world.driver.publishedTo("handle1")).toEqual(["nodeID1"]);
  });

  test("an API server that loses answers: everything ends well, the volume is published once", async () => {
    await using world = await startWorld();
    await twoNodes(world);
    for (const resource of [PersistentVolume, VolumeAttachment]) world.disturb({ resource, how: "lost", times: 1 });
    world.disturb({ resource: VolumeAttachment, subresource: "status", how: "lost", times: 1 });
    await world.create(VolumeAttachment, attachment());
    await world.until((va) => va.status?.attached && !va.status.attachError);
    expect(world.driver.publishedTo("handle1")).toEqual(["nodeID1"]);
  });

  test("the next process continues where one ended after preparing", async () => {
    await using world = await startWorld({ stopped: true });
    await twoNodes(world);
    await world.createAttachment(prepared());
    await world.run();
    await world.until((va) => va.status?.attached);
    expect(publishCalls(world)).toEqual(["Publish nodeID1"]);
  });

  test("a node that registered again under another id between two attempts: the new id is written down, then used", async () => {
    await using world = await startWorld({
      driver: { script: { ControllerPublishVolume: [step.waitFor("go", step.fail("Internal", "no"))] } },
    });
    await twoNodes(world);
    await world.create(VolumeAttachment, attachment());
    await world.driver.called("ControllerPublishVolume");
    await world.admin.delete(CSINode, { name: "node1" });
    await world.create(CSINode, csiNode("node1", "nodeID9"));
    world.driver.release("go");
    const va = await world.until((seen) => seen.status?.attached);
    expect([Object.values(va.metadata?.annotations ?? {}), world.driver.publishedTo("handle1").at(-1)]).toEqual([["nodeID9"], "nodeID9"]);
  });
});

test("each queue has metrics under its name", async () => {
  await using world = await startWorld();
  const text = await world.metrics();
  for (const name of ["csi-attacher-va", "csi-attacher-va-detach", "csi-attacher-pv"]) {
    expect(text).toContain(`workqueue_depth{name="${name}"} 0`);
    expect(text).toContain(`workqueue_oldest_waiting_seconds{name="${name}"} 0`);
  }
});
