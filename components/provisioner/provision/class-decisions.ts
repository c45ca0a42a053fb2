import { type SecretPurpose, type SecretRef, secretReferences } from "@csi-sidecars/controller";
import type { VolumeCapability } from "@csi-sidecars/csi";
import type { Claim, Class } from "../fields.ts";
import { driverParameters, fsTypeOf, metadataParameters, type Parameters } from "./class-parameters.ts";
import { type Refusal, refuse } from "./preparation.ts";
import { volumeCapabilities } from "./volume-capabilities.ts";

/** How the volume will be used: by the claim's modes and the class's options. */
export function usageOf(
  claim: Claim,
  of: Pick<Class, "parameters" | "mountOptions">,
  driver: { readonly defaultFsType: string; readonly singleNodeMultiWriter: boolean },
): { readonly fsType: string; readonly capabilities: readonly VolumeCapability[] } | Refusal {
  const fsType = fsTypeOf(of.parameters ?? {}, driver.defaultFsType);
  if (fsType.error !== undefined) return refuse("final", fsType.error);
  const { accessModes = [], volumeMode } = claim.spec ?? {};
  const usage = { accessModes, block: volumeMode === "Block", fsType: fsType.value, mountFlags: of.mountOptions ?? [] };
  const capabilities = volumeCapabilities(usage, driver);
  if (capabilities.error !== undefined) return refuse("final", capabilities.error);
  return { fsType: fsType.value, capabilities: capabilities.value };
}

/** Where all secrets of the new volume are. */
export function secretsOf(
  parameters: Parameters,
  volume: string,
  claim: { readonly name: string; readonly namespace: string; readonly annotations?: Readonly<Record<string, string>> },
): { readonly secrets: Readonly<Partial<Record<SecretPurpose, SecretRef>>> } | Refusal {
  const references = secretReferences(parameters, { volume, claim });
  return references.error === undefined ? { secrets: references.value } : refuse("unchanged", references.error);
}

/** The parameters of the CreateVolume call. */
export function requestParameters(
  parameters: Parameters,
  extra: { readonly claim: Claim; readonly volume: string } | undefined,
): { readonly parameters: Parameters } | Refusal {
  const stripped = driverParameters(parameters);
  if (stripped.error !== undefined) return refuse("final", stripped.error);
  if (!extra) return { parameters: stripped.value };
  const { name, namespace = "" } = extra.claim.metadata;
  return { parameters: { ...stripped.value, ...metadataParameters({ name, namespace }, extra.volume) } };
}
