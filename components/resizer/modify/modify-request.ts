import { objectNameParameters } from "@csi-sidecars/controller";
import type { ControllerModifyVolumeRequest } from "@csi-sidecars/csi";
import { wellKnownAnnotation as annotation } from "@csi-sidecars/kube";
import type { AttributesClass, Claim, Volume } from "../fields.ts";
import type { VolumeSecretRef } from "../secrets.ts";

/** What is to be modified, and to what. */
export interface Modification {
  readonly claim: Claim;
  readonly volume: Volume;
  readonly class: AttributesClass;
}

/** The request without its secrets. `extraMetadata`: `--extra-modify-metadata`. */
export function modifyRequest(
  { claim, volume, class: { parameters } }: Modification,
  { extraMetadata }: { readonly extraMetadata: boolean },
): Omit<ControllerModifyVolumeRequest, "secrets"> {
  const names = extraMetadata ? objectNameParameters(claim, volume.metadata.name) : {};
  return { volumeId: volume.spec?.csi?.volumeHandle ?? "", mutableParameters: { ...parameters, ...names } };
}

/** The secret for modifying that the provisioner wrote down, else the one for expanding. */
export function modifySecret({ metadata: { annotations }, spec }: Volume): VolumeSecretRef | undefined {
  const name = annotations?.[annotation.modifySecretName];
  const namespace = annotations?.[annotation.modifySecretNamespace];
  return name && namespace ? { name, namespace } : spec?.csi?.controllerExpandSecretRef;
}
