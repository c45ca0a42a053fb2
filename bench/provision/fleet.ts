import { PersistentVolumeClaim } from "@csi-sidecars/kube";
import { inParallel } from "../shared/in-parallel.ts";
import type { World } from "../shared/world.ts";
import { className } from "./world.ts";

const lanes = 50;
const namespace = "default";
const nameOf = (fleet: string, index: number) => `${fleet}-${index}`;

/** Claims as users make them: everything else is done by the cluster and the subject. */
export async function createClaims({ admin }: World, fleet: string, count: number): Promise<void> {
  await inParallel(count, lanes, (index) =>
    admin.create(PersistentVolumeClaim, {
      metadata: { namespace, name: nameOf(fleet, index) },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: className },
    }),
  );
}

export async function deleteClaims({ admin }: World, fleet: string, count: number): Promise<void> {
  await inParallel(count, lanes, (index) => admin.delete(PersistentVolumeClaim, { namespace, name: nameOf(fleet, index) }));
}
