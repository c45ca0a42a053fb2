import type { Volume } from "../fields.ts";
import type { Result } from "../provision/result.ts";
import { oldZoneLabel, regionOfZone, zoneLabel } from "./zone-keys.ts";

/** The handle under which the driver knows a volume of the in-tree plugin that it replaced; `undefined` for any other volume. */
export function volumeToCsi(volume: Volume): Result<string> | undefined {
  const { spec } = volume;
  if (!spec) return undefined;
  if (spec.awsElasticBlockStore) return awsHandle(spec.awsElasticBlockStore.volumeID);
  if (spec.azureDisk) {
    const { kind, diskURI } = spec.azureDisk;
    return kind && kind.toLowerCase() !== "managed" ? { error: `kind(${kind}) is not supported in csi migration` } : { value: diskURI };
  }
  if (spec.azureFile) return azureFileHandle(volume, spec.azureFile);
  if (spec.cinder) return { value: spec.cinder.volumeID };
  if (spec.gcePersistentDisk) return gceHandle(volume, spec.gcePersistentDisk.pdName);
  if (spec.portworxVolume) return { value: spec.portworxVolume.volumeID };
  return spec.vsphereVolume ? { value: spec.vsphereVolume.volumePath } : undefined;
}

function awsHandle(volumeId: string): Result<string> {
  const path = /^aws:\/\/[^/]*(\/.*)?$/.exec(volumeId);
  if (!path) return { value: volumeId };
  const id = (path[1] ?? "").replace(/^\/+|\/+$/g, "");
  if (/^vol-[^/]*$/.test(id)) return { value: id };
  return { error: `failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (${volumeId})` };
}

function azureFileHandle(
  { metadata, spec }: Volume,
  share: { readonly secretName: string; readonly secretNamespace?: string; readonly shareName: string },
): Result<string> {
  const namespace = share.secretNamespace || spec?.claimRef?.namespace;
  if (!namespace) return { error: "could not find a secret namespace in PersistentVolumeSource or ClaimRef" };
  const group = metadata.annotations?.["kubernetes.io/azure-file-resource-group"] ?? "";
  const account = /azure-storage-account-(.+)-secret/.exec(share.secretName)?.[1] ?? share.secretName;
  return { value: [group, account, share.shareName, metadata.name, namespace].join("#") };
}

/** A disk is in one zone, or, with several zones in its label, in their region. */
function gceHandle({ metadata }: Volume, disk: string): Result<string> {
  const label = metadata.labels?.[oldZoneLabel] ?? metadata.labels?.[zoneLabel] ?? "";
  const [zone = "UNSPECIFIED", ...others] = label.split("__").filter((each) => each !== "");
  if (others.length === 0) return { value: `projects/UNSPECIFIED/zones/${zone}/disks/${disk}` };
  const regions = new Set([zone, ...others].map((each) => regionOfZone("pd.csi.storage.gke.io", each)));
  const [region] = regions;
  if (regions.size > 1 || region === undefined) return { error: `failed to get region from zones: ${label}` };
  return { value: `projects/UNSPECIFIED/regions/${region}/disks/${disk}` };
}
