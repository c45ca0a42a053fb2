import type { View } from "@csi-sidecars/kube";
import type { Volume } from "../fields.ts";

const index = "handle";

/** To be called once, before `volumeWithHandle`. */
export function indexVolumeHandles(volumes: Pick<View<Volume>, "addIndex">): void {
  volumes.addIndex(index, ({ spec }) => (spec?.csi ? [`${spec.csi.driver}^${spec.csi.volumeHandle}`] : []));
}

/** The volume that a driver knows by this handle; none if several objects say they are it. */
export function volumeWithHandle(volumes: Pick<View<Volume>, "byIndex">, driver: string, handle: string): Volume | undefined {
  const found = volumes.byIndex(index, `${driver}^${handle}`);
  return found.length === 1 ? found[0] : undefined;
}
