import type { V1PersistentVolume } from "@csi-sidecars/kube";
import type { Result } from "../provision/result.ts";
import { regionLabel, regionOfZone, zoneKeys, zoneLabel } from "./zone-keys.ts";

type Spec = NonNullable<V1PersistentVolume["spec"]>;
type CsiSource = NonNullable<Spec["csi"]>;
type InTree = Result<{ readonly spec: Partial<Spec>; readonly annotations?: Record<string, string> }>;

const cachingModes = ["None", "ReadOnly", "ReadWrite"] as const;

const toInTree: Readonly<Record<string, (csi: CsiSource) => InTree>> = {
  "ebs.csi.aws.com": ({ volumeHandle: volumeID, fsType, readOnly, volumeAttributes }) => {
    const partition = Number(volumeAttributes?.partition || 0);
    if (!Number.isInteger(partition)) return { error: `failed to convert partition ${volumeAttributes?.partition} to integer` };
    return { value: { spec: { awsElasticBlockStore: { volumeID, fsType, readOnly, ...(partition && { partition }) } } } };
  },
  "pd.csi.storage.gke.io": ({ volumeHandle, fsType, readOnly, volumeAttributes }) => {
    const [, , , , , pdName] = volumeHandle.split("/");
    if (pdName === undefined) return { error: `could not get PD name from volume handle ${volumeHandle}` };
    const partition = Number(volumeAttributes?.partition || 0);
    if (!Number.isInteger(partition)) return { error: `failed to convert partition ${volumeAttributes?.partition} to integer` };
    return { value: { spec: { gcePersistentDisk: { pdName, fsType, readOnly, ...(partition && { partition }) } } } };
  },
  "cinder.csi.openstack.org": ({ volumeHandle: volumeID, fsType, readOnly }) => ({
    value: { spec: { cinder: { volumeID, fsType, readOnly } } },
  }),
  "disk.csi.azure.com": ({ volumeHandle, fsType, readOnly, volumeAttributes = {} }) => {
    const diskName = /(?:\/providers\/Microsoft\.Compute\/disks\/|^https?:.*\/vhds\/)(.+)$/i.exec(volumeHandle)?.[1];
    if (diskName === undefined)
      return { error: `could not get disk name from ${volumeHandle}, correct format: .*/subscriptions/.../disks/(.+)` };
    const attributes = Object.fromEntries(Object.entries(volumeAttributes).map(([key, value]) => [key.toLowerCase(), value]));
    const { cachingmode, fstype = fsType } = attributes;
    const cachingMode = cachingModes.find((mode) => mode.toLowerCase() === cachingmode?.toLowerCase());
    const azureDisk = { diskName, diskURI: volumeHandle, kind: "Managed" as const, readOnly: readOnly ?? false };
    return { value: { spec: { azureDisk: { ...azureDisk, ...(fstype && { fsType: fstype }), ...(cachingMode && { cachingMode }) } } } };
  },
  "file.csi.azure.com": azureFile,
  "csi.vsphere.vmware.com": ({ fsType, volumeAttributes }) => ({
    value: { spec: { vsphereVolume: { volumePath: volumeAttributes?.initialvolumefilepath ?? "", fsType } } },
  }),
  "pxd.portworx.com": ({ volumeHandle: volumeID, fsType, readOnly }) => ({
    value: { spec: { portworxVolume: { volumeID, fsType, readOnly } } },
  }),
};

/** The volume that was made for a class of an in-tree plugin, as that plugin would have described it. */
export function volumeToInTree(volume: V1PersistentVolume, driver: string): Result<V1PersistentVolume> {
  const { csi, ...spec } = volume.spec ?? {};
  const translate = toInTree[driver];
  if (!csi || !translate) return { error: `could not find in-tree plugin translation logic for "${driver}"` };
  const translated = translate(csi);
  if (translated.error !== undefined) return translated;
  const { labels, nodeAffinity } = placeInTree(spec.nodeAffinity, driver);
  return {
    value: {
      ...volume,
      metadata: {
        ...volume.metadata,
        annotations: { ...volume.metadata?.annotations, ...translated.value.annotations },
        ...(labels && { labels: { ...labels, ...volume.metadata?.labels } }),
      },
      spec: { ...spec, ...translated.value.spec, ...(nodeAffinity && { nodeAffinity }) },
    },
  };
}

function azureFile({ volumeHandle, readOnly, volumeAttributes = {}, nodeStageSecretRef }: CsiSource): InTree {
  const attributes = Object.fromEntries(Object.entries(volumeAttributes).map(([key, value]) => [key.toLowerCase(), value]));
  const [group = "", account = "", share = "", , handleNamespace = ""] = volumeHandle.split("#");
  const shareName = attributes.sharename || share;
  const secretName = nodeStageSecretRef?.name || attributes.secretname || (account && `azure-storage-account-${account}-secret`);
  if (!shareName || !secretName) return { error: `could not get share and account from volume handle ${volumeHandle}` };
  const secretNamespace = nodeStageSecretRef?.namespace || attributes.secretnamespace || handleNamespace || "default";
  const annotations: Record<string, string> = group === "" ? {} : { "kubernetes.io/azure-file-resource-group": group };
  return { value: { spec: { azureFile: { shareName, secretName, secretNamespace, readOnly } }, annotations } };
}

interface Place {
  readonly labels?: Record<string, string>;
  readonly nodeAffinity?: Spec["nodeAffinity"];
}

const renaming: ReadonlySet<string> = new Set([
  "pd.csi.storage.gke.io",
  "ebs.csi.aws.com",
  "cinder.csi.openstack.org",
  "csi.vsphere.vmware.com",
]);

/** The driver's topology keys become those of Kubernetes, and the zones a label that older components read. */
function placeInTree(affinity: Spec["nodeAffinity"], driver: string): Place {
  if (!affinity?.required || !renaming.has(driver)) return {};
  const names: Readonly<Record<string, string>> = {
    [zoneKeys[driver] ?? ""]: zoneLabel,
    ...(driver === "csi.vsphere.vmware.com" && { "topology.csi.vmware.com/region": regionLabel }),
  };
  const [zones, regions] = [new Set<string>(), new Set<string>()];
  const nodeSelectorTerms = affinity.required.nodeSelectorTerms.map((term) => {
    const expressions = (term.matchExpressions ?? []).map((each) => ({ ...each, key: names[each.key] ?? each.key }));
    const valuesOf = (key: string) => expressions.filter((each) => each.key === key).flatMap(({ values = [] }) => values);
    const derived = [...new Set(valuesOf(zoneLabel).map((zone) => regionOfZone(driver, zone)))].filter((region) => region !== undefined);
    for (const zone of valuesOf(zoneLabel)) zones.add(zone);
    for (const region of [...valuesOf(regionLabel), ...derived]) regions.add(region);
    const region = derived.length > 0 ? [{ key: regionLabel, operator: "In" as const, values: derived }] : [];
    return { ...term, matchExpressions: [...expressions, ...region] };
  });
  const labels = {
    ...(zones.size > 0 && { [zoneLabel]: [...zones].sort().join("__") }),
    ...(regions.size > 0 && { [regionLabel]: [...regions].sort().join("__") }),
  };
  return { labels, nodeAffinity: { required: { nodeSelectorTerms } } };
}
