import type { ClaimsOfPod } from "./plan-pod.ts";

/** What is known about the volumes of a node. */
export interface NodeVolumes {
  /** How many volumes of the driver a node takes, if the driver says so. */
  volumeLimit(node: string, driver: string): number | undefined;
  /** The handles of the driver's volumes that pods have there. */
  volumesOn(node: string, driver: string): ReadonlySet<string>;
}

/** Whether the node would have more volumes of a driver with the pod than that driver can attach there. Volumes that are there already count once. */
export function exceedsLimit(node: string, { bound, late }: ClaimsOfPod, world: NodeVolumes): boolean {
  const wanted = [
    ...bound.flatMap(({ volume: { spec } }) => (spec?.csi ? [{ driver: spec.csi.driver, id: spec.csi.volumeHandle }] : [])),
    ...late.map(({ claim, storageClass }) => ({ driver: storageClass.provisioner, id: `claim ${claim.metadata.uid}` })),
  ];
  const byDriver = Map.groupBy(wanted, ({ driver }) => driver);
  return [...byDriver].some(([driver, volumes]) => {
    const limit = world.volumeLimit(node, driver);
    const there = world.volumesOn(node, driver);
    const added = new Set(volumes.map(({ id }) => id).filter((id) => !there.has(id)));
    return limit !== undefined && added.size > 0 && there.size + added.size > limit;
  });
}
