import { describe, expect, test } from "bun:test";
import { CSINode, mergePatch, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import type { FaultAction } from "@csi-sidecars/testcluster";
import { type AttacherWorld, startWorld } from "./testing/attacher-world.ts";
import { attachment, csiNode, finalizer, foreign, prepared, volume } from "./testing/objects.ts";

/* The driver has answered, and what it answered cannot be written: the write is retried, not the call. */

const isReal = process.env.TESTCLUSTER === "real";
const held = { metadata: { finalizers: [finalizer] } };
const statusOf = { verb: "patch", resource: "volumeattachments", subresource: "status" };
const metadataOf = { ...statusOf, subresource: "" };

const failures: readonly [string, FaultAction][] = [
  ["an internal error", { do: "status", code: 500 }],
  ["a conflict", { do: "status", code: 409 }],
  ["a timeout", { do: "status", code: 504 }],
  ["a closed connection", { do: "refuse" }],
];

function publications({ driver }: AttacherWorld): number {
  return driver.calls("ControllerPublishVolume").length;
}

function unpublications({ driver }: AttacherWorld): number {
  return driver.calls("ControllerUnpublishVolume").length;
}

async function addAttachment(world: AttacherWorld): Promise<void> {
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume(held));
  await world.create(VolumeAttachment, attachment());
}

/** An attachment that is attached and deleted, before the component runs. */
async function addDeletedAttachment(world: AttacherWorld, finalizers: string[] = [finalizer]): Promise<void> {
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume(held));
  await world.createAttachment(prepared({}, { finalizers }), { attached: true });
  await world.admin.delete(VolumeAttachment, { name: "va" });
}

describe("on whichever server", () => {
  test.each([
    ["refused, three times", "refused", 3],
    ["done, and its answer lost", "lost", 1],
  ] as const)("the write of status.attached is %s: one call of ControllerPublishVolume", async (_, how, times) => {
    await using world = await startWorld();
    world.disturb({ resource: VolumeAttachment, subresource: "status", how, times });
    await addAttachment(world);
    await world.until((va) => va.status?.attached);
    await world.create(VolumeAttachment, attachment({ metadata: { name: "other" } }));
    await world.until((va) => va.status?.attached, "other");
    expect(publications(world)).toBe(2);
  });

  test("the removal of the finalizer is refused, three times: one call of ControllerUnpublishVolume", async () => {
    await using world = await startWorld({ stopped: true });
    await addDeletedAttachment(world);
    world.disturb({ resource: VolumeAttachment, how: "refused", times: 3 });
    await world.run();
    await world.untilGone(VolumeAttachment, "va");
    expect(unpublications(world)).toBe(1);
  });
});

describe.skipIf(isReal)("status.attached cannot be written:", () => {
  test.each(failures)("%s, three times: one call of ControllerPublishVolume", async (_, action) => {
    await using world = await startWorld();
    const fault = world.cluster.embedded!.faults.add({ match: statusOf, action, times: 3 });
    await addAttachment(world);
    const { status } = await world.until((va) => va.status?.attached);
    expect(status?.attachmentMetadata).toEqual({ device: "/dev/disk/by-id/handle1" });
    expect(fault.hits).toBe(3);
    expect(publications(world)).toBe(1);
    expect(world.errors()).toEqual([]);
  });

  test("the answer to the write is lost: it is not repeated", async () => {
    await using world = await startWorld();
    world.cluster.embedded!.faults.add({ match: statusOf, action: { do: "dropResponse" }, times: 1 });
    await addAttachment(world);
    await world.until((va) => va.status?.attached);
    await world.create(VolumeAttachment, attachment({ metadata: { name: "other" } }));
    await world.until((va) => va.status?.attached, "other");
    expect(publications(world)).toBe(2);
  });

  test("the finalizer and the node ID cannot be written: the driver is not called before", async () => {
    await using world = await startWorld();
    world.cluster.embedded!.faults.add({ match: metadataOf, action: { do: "status", code: 500 }, times: 2 });
    await addAttachment(world);
    await world.until((va) => va.status?.attached);
    expect(publications(world)).toBe(1);
  });
});

describe.skipIf(isReal)("while status.attached cannot be written,", () => {
  async function unsaved(): Promise<{ world: AttacherWorld; heal(): void }> {
    const world = await startWorld();
    const fault = world.cluster.embedded!.faults.add({ match: statusOf, action: { do: "status", code: 500 } });
    await addAttachment(world);
    await world.untilTrue(() => fault.hits > 2);
    expect(publications(world)).toBe(1);
    return { world, heal: () => fault.remove() };
  }

  test("the attachment is deleted: the volume is detached", async () => {
    const { world, heal } = await unsaved();
    await using _ = world;
    await world.admin.delete(VolumeAttachment, { name: "va" });
    heal();
    await world.untilGone(VolumeAttachment, "va");
    expect([publications(world), unpublications(world)]).toEqual([1, 1]);
    expect(world.driver.publishedTo("handle1")).toEqual([]);
  });

  test("it is replaced by another one of its name: that one is attached by a call of its own", async () => {
    const { world, heal } = await unsaved();
    await using _ = world;
    await world.admin.delete(VolumeAttachment, { name: "va" });
    await world.untilGone(VolumeAttachment, "va");
    await world.create(VolumeAttachment, attachment());
    await world.driver.called("ControllerPublishVolume", 2);
    heal();
    await world.until((va) => va.status?.attached);
    expect([publications(world), unpublications(world)]).toEqual([2, 1]);
  });

  test("the node is registered with another ID: the driver is called for that one", async () => {
    const { world, heal } = await unsaved();
    await using _ = world;
    const drivers = csiNode("node1", "nodeID2").spec?.drivers;
    await world.admin.patch(CSINode, { name: "node1" }, mergePatch({ spec: { drivers: null } }));
    await world.admin.patch(CSINode, { name: "node1" }, mergePatch({ spec: { drivers } }));
    await world.driver.called("ControllerPublishVolume", 2);
    heal();
    await world.until((va) => va.status?.attached);
    expect(world.driver.calls("ControllerPublishVolume").map(({ request }) => request.nodeId)).toEqual(["nodeID1", "nodeID2"]);
  });

  test("the process is restarted: the driver is called again", async () => {
    const { world, heal } = await unsaved();
    await using _ = world;
    await world.stop();
    heal();
    await world.run();
    await world.until((va) => va.status?.attached);
    expect(publications(world)).toBe(2);
  });
});

describe.skipIf(isReal)("the end of a detach cannot be written:", () => {
  test.each(failures)("%s, three times: one call of ControllerUnpublishVolume", async (_, action) => {
    await using world = await startWorld({ stopped: true });
    await addDeletedAttachment(world);
    const fault = world.cluster.embedded!.faults.add({ match: metadataOf, action, times: 3 });
    await world.run();
    await world.untilGone(VolumeAttachment, "va");
    expect(fault.hits).toBe(3);
    expect(unpublications(world)).toBe(1);
  });

  test("with other finalizers, the status either: one call", async () => {
    await using world = await startWorld({ stopped: true });
    await addDeletedAttachment(world, [foreign, finalizer]);
    for (const match of [metadataOf, statusOf]) {
      world.cluster.embedded!.faults.add({ match, action: { do: "status", code: 500 }, times: 2 });
    }
    await world.run();
    const { metadata } = await world.until((va) => va.status?.attached === false && !va.status.detachError);
    expect(metadata?.finalizers).toEqual([foreign]);
    expect(unpublications(world)).toBe(1);
  });
});
