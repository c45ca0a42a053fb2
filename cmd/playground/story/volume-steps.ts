import { Event, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, VolumeAttachment } from "@csi-sidecars/kube";
import { deleteAll } from "../cluster/delete-all.ts";
import type { Parts } from "../start-parts.ts";
import type { Step } from "./step.ts";
import { boundVolume, createClaim, createPod, isAttached, present, runsOn } from "./story-objects.ts";

export const storyClass = "story";

/** A class, a claim that gets a volume, and a pod that uses it. */
export function firstSteps(parts: Parts): readonly Step[] {
  const { admin, driver } = parts;
  const { name: provisioner, attaches } = driver.facts;
  return [
    {
      title: `Create the StorageClass "${storyClass}" for the driver ${provisioner}`,
      act: () => admin.create(StorageClass, { metadata: { name: storyClass }, provisioner, volumeBindingMode: "Immediate" }),
      expected: "the class",
      look: async () => (await present(parts, StorageClass, { name: storyClass })) && "the class is there",
    },
    {
      title: 'Create the claim "data" of 1Gi',
      act: () => createClaim(parts, "data", storyClass),
      expected: "the claim bound to a volume that the driver has",
      async look() {
        const name = await boundVolume(parts, "data");
        const id = name && (await present(parts, PersistentVolume, { name }))?.spec?.csi?.volumeHandle;
        if (!id) return undefined;
        const ids = await driver.volumeIds();
        if (ids === undefined) return `bound to ${name}, for the driver ${id}`;
        return ids.has(id) ? `bound to ${name}, in the driver ${id}` : undefined;
      },
    },
    {
      title: 'Start the pod "app" that uses the claim',
      act: () => createPod(parts, "app", "data"),
      expected: `${attaches ? "the volume attached to the pod's node and " : ""}the pod running`,
      async look() {
        const node = await runsOn(parts, "app");
        if (node === undefined) return undefined;
        if (!attaches) return `the pod runs on ${node}; volumes of this driver need not be attached`;
        const attached = await isAttached(parts, (await boundVolume(parts, "data")) ?? "", node);
        const agrees = driver.hostpath ? ", the driver agrees" : "";
        return attached ? `VolumeAttachment to ${node} attached${agrees}, the pod runs there` : undefined;
      },
    },
  ];
}

/** Everything goes, down to what the driver had before. */
export function lastSteps(parts: Parts, before: ReadonlySet<string> | undefined): readonly Step[] {
  const { admin, driver } = parts;
  const counts = () =>
    Promise.all([
      admin.list(VolumeAttachment).then(({ items }) => items.length),
      admin.list(PersistentVolume).then(({ items }) => items.length),
      admin.list(PersistentVolumeClaim).then(({ items }) => items.length),
      driver.volumeIds().then((ids) => [...(ids ?? [])].filter((id) => !before?.has(id)).length),
    ]);
  const storage = before === undefined ? "" : before.size === 0 ? ", the driver is empty" : ", the driver has what it had before";
  return [
    {
      title: "Delete the pods and the claims",
      async act() {
        await deleteAll(admin, Pod, { namespace: "default" });
        await deleteAll(admin, PersistentVolumeClaim, { namespace: "default" });
      },
      expected: "no attachment, no volume, and an empty driver",
      look: async () => ((await counts()).every((count) => count === 0) ? `no VolumeAttachment, no PersistentVolume${storage}` : undefined),
    },
    {
      title: `Delete the class "${storyClass}"`,
      act: () => admin.delete(StorageClass, { name: storyClass }),
      expected: "the class gone",
      async look() {
        if (await present(parts, StorageClass, { name: storyClass })) return undefined;
        return `gone; ${(await admin.list(Event)).items.length} events tell the story`;
      },
    },
  ];
}
