import { ownValue } from "@csi-sidecars/base";
import type { PlannedPatch } from "@csi-sidecars/controller";
import { mergePatch } from "@csi-sidecars/kube";
import type { Volume } from "./fields.ts";

export const driverAnnotation = "template-sidecar.csi-sidecars.storage.k8s.io/driver";

/** What a volume needs, if anything. Decisions are pure, and tested by tables. */
export function planVolume({ metadata, spec }: Volume, driver: string): PlannedPatch | undefined {
  if (spec?.csi?.driver !== driver || metadata.deletionTimestamp) return undefined;
  if (ownValue(metadata.annotations, driverAnnotation) === driver) return undefined;
  return { patch: mergePatch({ metadata: { annotations: { [driverAnnotation]: driver } } }) };
}
