import { describe, expect, test } from "bun:test";
import { CSINode, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import type { Disturbance } from "@csi-sidecars/testcluster";
import { startWorld } from "../testing/attacher-world.ts";
import { attachment, csiNode, driverName, finalizer, prepared, volume } from "../testing/objects.ts";

const status = "patch volumeattachments/status va";
const held = { metadata: { finalizers: [finalizer] } };
const secretRef = { controllerPublishSecretRef: { name: "unknown-secret", namespace: "default" } };

describe("cannot be attached yet", () => {
  interface Trouble {
    readonly volume?: ReturnType<typeof volume> | undefined;
    readonly attachment?: ReturnType<typeof attachment>;
    readonly node?: ReturnType<typeof csiNode> | undefined;
    readonly error: string;
  }
  test.each<[string, Trouble]>([
    ["unknown volume", { volume: undefined, error: 'persistentvolume "pv1" not found' }],
    [
      "unknown node, although the annotation has its ID",
      { node: undefined, attachment: prepared(), error: 'csinode.storage.k8s.io "node1" not found' },
    ],
    [
      "node without the driver",
      { node: csiNode("node1", "x", "other.example.com"), error: `CSINode node1 does not contain driver ${driverName}` },
    ],
    [
      "missing secret",
      {
        volume: volume({ ...held, csi: secretRef }),
        error: 'failed to load secret "default/unknown-secret": secrets "unknown-secret" not found',
      },
    ],
    [
      "no usable access mode",
      {
        volume: volume({ ...held, spec: { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] } }),
        error: "CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume",
      },
    ],
  ])("%s: the error is saved, the attachment gets no finalizer, the driver is not called", async (_what, given) => {
    await using world = await startWorld({ flags: { retryIntervalStart: 30, retryIntervalMax: 30 } });
    const node = "node" in given ? given.node : csiNode();
    const pv = "volume" in given ? given.volume : volume(held);
    if (node) await world.create(CSINode, node);
    if (pv) await world.create(PersistentVolume, pv);
    const object = given.attachment ?? attachment();
    await world.create(VolumeAttachment, object);
    await world.until((va) => va.status?.attachError?.message === given.error);
    await world.untilTrue(async () => (await world.requests()).filter((request) => request === status).length >= 3);
    const { metadata } = await world.get(VolumeAttachment, "va");
    expect(metadata?.finalizers).toEqual(object.metadata?.finalizers);
    expect(world.driver.calls("ControllerPublishVolume")).toEqual([]);
    expect((await world.requests()).filter((request) => ![status, "get secrets unknown-secret"].includes(request))).toEqual([]);
  });

  test("a volume that is being deleted is not attached, even with our finalizer", async () => {
    await using world = await startWorld();
    await world.create(CSINode, csiNode());
    await world.create(PersistentVolume, volume(held));
    await world.admin.delete(PersistentVolume, { name: "pv1" });
    await world.create(VolumeAttachment, attachment());
    await world.until((va) => va.status?.attachError?.message === 'PersistentVolume "pv1" is marked for deletion');
    expect(world.driver.calls("ControllerPublishVolume")).toEqual([]);
  });

  test("a failure to save the error is retried", async () => {
    await using world = await startWorld();
    const twice: Disturbance = { resource: VolumeAttachment, subresource: "status", how: "refused", times: 2 };
    world.disturb(twice);
    await world.create(VolumeAttachment, attachment());
    await world.until((va) => va.status?.attachError?.message === 'persistentvolume "pv1" not found');
    expect(twice.times).toBe(0);
  });
});
