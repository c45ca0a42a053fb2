import { mergePatch, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { inParallel } from "../shared/in-parallel.ts";
import { attachedVolume } from "../shared/volumes.ts";
import type { World } from "../shared/world.ts";

const lanes = 50;

/** Who made the volumes: one beside the attacher in the same process gives them the attacher's finalizer. */
export type Maker = "provisioner apart" | "provisioner beside";

/** Volumes as a provisioner leaves them: nobody has attached them yet. */
export async function createVolumes({ admin }: World, count: number, maker: Maker): Promise<void> {
  await inParallel(count, lanes, (index) => {
    const { volume } = attachedVolume(index);
    const finalizers = (volume.metadata?.finalizers ?? []).filter(
      (name) => maker === "provisioner beside" || !name.startsWith("external-attacher/"),
    );
    return admin.create(PersistentVolume, { ...volume, metadata: { ...volume.metadata, finalizers } });
  });
}

/** Attachments as attach/detach controllers make them. */
export async function createAttachments({ admin }: World, count: number): Promise<void> {
  await inParallel(count, lanes, (index) => {
    const { metadata, spec } = attachedVolume(index).attachment;
    return admin.create(VolumeAttachment, { metadata: { name: metadata?.name ?? "" }, spec });
  });
}

export async function deleteAttachments({ admin }: World, count: number): Promise<void> {
  await inParallel(count, lanes, (index) =>
    admin.delete(VolumeAttachment, { name: attachedVolume(index).attachment.metadata?.name ?? "" }),
  );
}

/** Volumes that are attached already: nothing is left to be done about them. */
export async function createAttached({ admin }: World, count: number): Promise<void> {
  await inParallel(count, lanes, async (index) => {
    const { volume, attachment } = attachedVolume(index);
    const { name = "" } = attachment.metadata ?? {};
    await admin.create(PersistentVolume, volume);
    await admin.create(VolumeAttachment, attachment);
    await admin.patch(VolumeAttachment, { name }, mergePatch({ status: attachment.status }), { subresource: "status" });
  });
}

/** Removes volumes, whatever finalizers they still have. */
export async function removeVolumes({ admin }: World, count: number): Promise<void> {
  await inParallel(count, lanes, async (index) => {
    const name = attachedVolume(index).volume.metadata?.name ?? "";
    await admin.patch(PersistentVolume, { name }, mergePatch({ metadata: { finalizers: null } }));
    await admin.delete(PersistentVolume, { name });
  });
}
