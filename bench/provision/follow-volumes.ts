import { fields, PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { type Following, follow } from "../shared/follow.ts";
import type { World } from "../shared/world.ts";

/** How many volumes there are, and how many claims are bound. */
export interface Counts {
  readonly volumes: number;
  readonly bound: number;
}

const volumeFields = fields(PersistentVolume, { status: { phase: true } });
const claimFields = fields(PersistentVolumeClaim, { status: { phase: true } });

/** Follows claims and volumes as they change. */
export function followVolumes({ admin }: World): Promise<Following<Counts>> {
  return follow(admin, (factory, countOf) => {
    const volumes = countOf(factory.forFields(volumeFields), () => true);
    const bound = countOf(factory.forFields(claimFields), ({ status }) => status?.phase === "Bound");
    return () => ({ volumes: volumes(), bound: bound() });
  });
}
