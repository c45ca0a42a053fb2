import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Event, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, VolumeAttachment } from "@csi-sidecars/kube";
import { deleteAll } from "../cluster/cluster.ts";
import { podFolder } from "../kubelet/pod-volumes.ts";
import type { Playground } from "../playground.ts";
import { waitUntil } from "../wait-until.ts";
import { boundVolume, createClaim, createPod, demoClass, inDefault, isAttached, present, runsOn, type Step } from "./step.ts";

/** A StorageClass, a claim that gets a volume, and a pod that uses it. */
export function firstSteps(playground: Playground): readonly Step[] {
  const { admin, driver } = playground;
  const { name: provisioner, attaches, expands: allowVolumeExpansion } = driver.info;
  return [
    {
      title: `Create the StorageClass "${demoClass}" for the driver ${provisioner}`,
      act: () =>
        admin.create(StorageClass, { metadata: { name: demoClass }, provisioner, volumeBindingMode: "Immediate", allowVolumeExpansion }),
      expected: "the StorageClass",
      check: async () => (await present(playground, StorageClass, { name: demoClass })) && "the StorageClass exists",
    },
    {
      title: 'Create the claim "data" of 1Gi',
      act: () => createClaim(playground, "data", demoClass),
      expected: "the claim bound to a volume of the driver",
      async check() {
        const name = await boundVolume(playground, "data");
        const id = name && (await present(playground, PersistentVolume, { name }))?.spec?.csi?.volumeHandle;
        if (!id) return undefined;
        const ids = await driver.volumeIds();
        if (ids === undefined) return `bound to ${name}, volume ID ${id}`;
        return ids.has(id) ? `bound to ${name}, volume ID ${id} in the driver` : undefined;
      },
    },
    {
      title: 'Start the pod "app" that uses the claim',
      act: () => createPod(playground, "app", "data"),
      expected: `${attaches ? "the volume attached to the pod's node and " : ""}the pod running`,
      async check() {
        const node = await runsOn(playground, "app");
        if (node === undefined) return undefined;
        const mounted = driver.hostpath ? "" : mountedOn(playground, node);
        if (!attaches) return `the pod runs on ${node}${mounted}; this driver needs no attach`;
        const attached = await isAttached(playground, (await boundVolume(playground, "data")) ?? "", node);
        const confirmed = driver.hostpath ? ", the driver confirms it" : "";
        return attached ? `VolumeAttachment to ${node} is attached${confirmed}, the pod runs there${mounted}` : undefined;
      },
    },
  ];
}

/** What became of the volume of a pod that the user's own driver was to mount. */
function mountedOn({ nodeService }: Playground, node: string): string {
  const why = nodeService.whyNotMounted(node);
  return why === undefined ? " with its volume mounted" : ` without its volume (${why})`;
}

/** Everything is deleted, and the driver has only the volumes it had before. */
export function lastSteps(playground: Playground, before: ReadonlySet<string> | undefined): readonly Step[] {
  const { admin, driver } = playground;
  const counts = () =>
    Promise.all([
      admin.list(VolumeAttachment).then(({ items }) => items.length),
      admin.list(PersistentVolume).then(({ items }) => items.length),
      admin.list(PersistentVolumeClaim).then(({ items }) => items.length),
      driver.volumeIds().then((ids) => [...(ids ?? [])].filter((id) => !before?.has(id)).length),
    ]);
  const storage =
    before === undefined ? "" : before.size === 0 ? ", the driver is empty" : ", the driver has only the volumes it had before";
  return [
    {
      title: "Delete the pods and the claims",
      async act() {
        await deleteAll(admin, Pod, { namespace: "default" });
        await deleteAll(admin, PersistentVolumeClaim, { namespace: "default" });
      },
      expected: "no attachment, no volume, and an empty driver",
      check: async () =>
        (await counts()).every((count) => count === 0) ? `no VolumeAttachment, no PersistentVolume${storage}` : undefined,
    },
    {
      title: `Delete the StorageClass "${demoClass}"`,
      act: () => admin.delete(StorageClass, { name: demoClass }),
      expected: "the StorageClass deleted",
      async check() {
        if (await present(playground, StorageClass, { name: demoClass })) return undefined;
        return `deleted; ${(await admin.list(Event)).items.length} events were recorded`;
      },
    },
  ];
}

const podName = "app";
const content = "written by the first pod";

/** The data belongs to the claim: the next pod finds it. */
export function podReplaced(playground: Playground): Step {
  const file = join(podFolder(playground.nodeService.folder, inDefault(podName)), "data", "greeting");
  return {
    title: `Write a file to the volume of the pod "${podName}" and replace the pod`,
    async act(signal) {
      await writeFile(file, content);
      await playground.admin.delete(Pod, inDefault(podName));
      const isGone = async () => (await present(playground, Pod, inDefault(podName))) === undefined || undefined;
      await waitUntil("the first pod to be deleted", isGone, { signal });
      await createPod(playground, podName, "data");
    },
    expected: "the new pod running, with the file",
    async check() {
      const node = await runsOn(playground, podName);
      return node !== undefined && (await readFile(file, "utf8")) === content ? `the new pod on ${node} has the file` : undefined;
    },
  };
}
