import { until } from "@csi-sidecars/base/testing";
import { type Client, mergePatch, PersistentVolumeClaim, StorageClass, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { selectedNodeOf } from "../topology/selected-node.ts";
import { inDefault } from "./manifests.ts";

/** kube-controller-manager looks at a claim whose class it did not know yet only a quarter of a minute later, unless the claim changes. */
export async function nudge(admin: Client, { metadata, spec }: V1PersistentVolumeClaim): Promise<void> {
  const storageClass = await admin.get(StorageClass, { name: spec?.storageClassName || "-" }).catch(() => undefined);
  if (!storageClass || (storageClass.volumeBindingMode !== "Immediate" && !selectedNodeOf(metadata?.annotations))) return;
  let looks = 0;
  const noticed = async () => {
    const { metadata: now } = await admin.get(PersistentVolumeClaim, inDefault(metadata?.name ?? ""));
    if (now?.annotations?.["volume.kubernetes.io/storage-provisioner"]) return true;
    if (++looks % 20 === 0)
      await admin.patch(PersistentVolumeClaim, inDefault(now?.name ?? ""), mergePatch({ metadata: { labels: { looks: `${looks}` } } }));
    return undefined;
  };
  await until(`the provisioner of ${metadata?.name}`, noticed);
}
