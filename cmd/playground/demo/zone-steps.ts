import { zoneKey } from "@csi-sidecars/hostpath";
import { CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, StorageClass } from "@csi-sidecars/kube";
import { publishesCapacity } from "../cluster/install-driver.ts";
import type { Playground } from "../playground.ts";
import { topologyOf } from "../view/read-status.ts";
import { boundVolume, createClaim, createPod, eventAbout, inDefault, present, runsOn, type Step } from "./step.ts";

const zonalClass = "demo-zonal";
const claimName = "zonal";

/** A claim waits for its pod and gets its volume in the zone of the pod. */
export function zoneSteps(playground: Playground): readonly Step[] {
  const { admin, driver, nodes } = playground;
  const zones = [...new Set(nodes.flatMap(({ zone }) => zone ?? []))];
  const wanted = zones.at(-1) ?? "";
  const capacity = publishesCapacity(driver.info);
  const zoneOfNode = (name: string | undefined) => nodes.find((node) => node.name === name)?.zone;
  return [
    {
      title: `Create the StorageClass "${zonalClass}" with WaitForFirstConsumer and the claim "${claimName}" of it`,
      async act() {
        const metadata = { name: zonalClass };
        await admin.create(StorageClass, {
          metadata,
          provisioner: driver.info.name,
          volumeBindingMode: "WaitForFirstConsumer",
        });
        await createClaim(playground, claimName, zonalClass);
      },
      expected: `the claim waiting for a pod${capacity ? ", and a CSIStorageCapacity for each zone" : ""}`,
      async check() {
        const claim = await present(playground, PersistentVolumeClaim, inDefault(claimName));
        const event = await eventAbout(playground, claimName, "WaitForFirstConsumer");
        if (claim?.status?.phase !== "Pending" || event === undefined) return undefined;
        if (!capacity) return "the claim is Pending: WaitForFirstConsumer";
        const { items } = await admin.list(CSIStorageCapacity, { namespace: "default" });
        const published = items.filter(({ storageClassName }) => storageClassName === zonalClass).length;
        return published === zones.length
          ? `the claim is Pending: WaitForFirstConsumer; capacity of ${published} zones is published`
          : undefined;
      },
    },
    {
      title: `Start the pod "${claimName}" in ${wanted} that uses the claim`,
      act: () => createPod(playground, claimName, claimName, { [zoneKey]: wanted }),
      expected: `the volume and the pod in ${wanted}`,
      async check() {
        const name = await boundVolume(playground, claimName);
        const node = await runsOn(playground, claimName);
        const volume = name === undefined ? undefined : await present(playground, PersistentVolume, { name });
        const created = (await driver.hostpath?.control.volumes())?.find((candidate) => candidate.name === name);
        if (!volume || topologyOf(volume) !== wanted || zoneOfNode(node) !== wanted || created?.zone !== wanted) return undefined;
        return `bound to ${name}, which the driver created in ${wanted}, with that node affinity; the pod runs on ${node}`;
      },
    },
  ];
}

/** Deletes the StorageClass of {@link zoneSteps}. */
export const zoneEnd = (playground: Playground): Step => ({
  title: `Delete the StorageClass "${zonalClass}"`,
  act: () => playground.admin.delete(StorageClass, { name: zonalClass }),
  expected: "its CSIStorageCapacity objects deleted",
  async check() {
    const { items } = await playground.admin.list(CSIStorageCapacity, { namespace: "default" });
    return items.some(({ storageClassName }) => storageClassName === zonalClass) ? undefined : "its CSIStorageCapacity objects are deleted";
  },
});
