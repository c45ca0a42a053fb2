import { zoneKey } from "@csi-sidecars/hostpath";
import { CSIStorageCapacity, Event, PersistentVolume, PersistentVolumeClaim, StorageClass } from "@csi-sidecars/kube";
import { publishesCapacity } from "../cluster/install-driver.ts";
import type { Parts } from "../start-parts.ts";
import { topologyOf } from "../view/topology-of.ts";
import type { Step } from "./step.ts";
import { boundVolume, createClaim, createPod, inDefault, present, runsOn } from "./story-objects.ts";

const lateClass = "story-late";
const claimName = "near";

/** A claim waits for its pod, and gets its volume in the pod's zone. */
export function zoneSteps(parts: Parts): readonly Step[] {
  const { admin, driver, nodes } = parts;
  const zones = [...new Set(nodes.flatMap(({ zone }) => zone ?? []))];
  const wanted = zones.at(-1) ?? "";
  const capacity = publishesCapacity(driver.facts);
  const zoneOfNode = (name: string | undefined) => nodes.find((node) => node.name === name)?.zone;
  return [
    {
      title: `Create the class "${lateClass}" that waits for the first consumer, and the claim "${claimName}" of it`,
      async act() {
        const metadata = { name: lateClass };
        await admin.create(StorageClass, {
          metadata,
          provisioner: driver.facts.name,
          volumeBindingMode: "WaitForFirstConsumer",
        });
        await createClaim(parts, claimName, lateClass);
      },
      expected: `the claim waiting for a pod${capacity ? ", and a CSIStorageCapacity for each zone" : ""}`,
      async look() {
        const claim = await present(parts, PersistentVolumeClaim, inDefault(claimName));
        const { items: events } = await admin.list(Event, { namespace: "default" });
        const told = events.some(({ reason, involvedObject }) => reason === "WaitForFirstConsumer" && involvedObject.name === claimName);
        if (claim?.status?.phase !== "Pending" || !told) return undefined;
        if (!capacity) return "the claim is Pending: WaitForFirstConsumer";
        const { items } = await admin.list(CSIStorageCapacity, { namespace: "default" });
        const published = items.filter(({ storageClassName }) => storageClassName === lateClass).length;
        return published === zones.length
          ? `the claim is Pending: WaitForFirstConsumer; capacity of ${published} zones is told`
          : undefined;
      },
    },
    {
      title: `Start the pod "${claimName}" in ${wanted} that uses the claim`,
      act: () => createPod(parts, claimName, claimName, { [zoneKey]: wanted }),
      expected: `the volume and the pod in ${wanted}`,
      async look() {
        const name = await boundVolume(parts, claimName);
        const node = await runsOn(parts, claimName);
        const volume = name === undefined ? undefined : await present(parts, PersistentVolume, { name });
        const made = (await driver.hostpath?.control.volumes())?.find((candidate) => candidate.name === name);
        if (!volume || topologyOf(volume) !== wanted || zoneOfNode(node) !== wanted || made?.zone !== wanted) return undefined;
        return `bound to ${name}, which the driver made in ${wanted} and whose node affinity says so; the pod runs on ${node}`;
      },
    },
  ];
}

/** The end of what {@link zoneSteps} made beside claims and pods. */
export const zoneEnd = (parts: Parts): Step => ({
  title: `Delete the class "${lateClass}"`,
  act: () => parts.admin.delete(StorageClass, { name: lateClass }),
  expected: "its capacity gone",
  async look() {
    const { items } = await parts.admin.list(CSIStorageCapacity, { namespace: "default" });
    return items.some(({ storageClassName }) => storageClassName === lateClass) ? undefined : "its CSIStorageCapacity objects are gone";
  },
});
