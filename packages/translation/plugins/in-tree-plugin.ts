import { ownValue, type Result } from "@csi-sidecars/base";
import { parameterPrefix, type V1PersistentVolume } from "@csi-sidecars/kube";

type Spec = NonNullable<V1PersistentVolume["spec"]>;
type Source = Pick<
  Spec,
  "awsElasticBlockStore" | "azureDisk" | "azureFile" | "cinder" | "gcePersistentDisk" | "portworxVolume" | "vsphereVolume"
>;

/** What is read of a PersistentVolume to translate it. */
export interface InTreeVolume {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Source & { readonly accessModes?: readonly string[]; readonly claimRef?: { readonly namespace?: string } };
}

/** The part of a CSI volume that a plugin's volume tells. */
export interface CsiVolume {
  readonly driver: string;
  readonly volumeHandle: string;
  readonly readOnly?: boolean;
  readonly fsType?: string;
  readonly volumeAttributes?: Readonly<Record<string, string>>;
  readonly controllerPublishSecretRef?: { readonly name?: string; readonly namespace?: string };
  readonly controllerExpandSecretRef?: { readonly name?: string; readonly namespace?: string };
}

/** What an in-tree volume is to the CSI driver that took over. */
export interface Translated {
  readonly csi: Omit<CsiVolume, "driver">;
  /** Only where the volume's own access modes do not hold. */
  readonly accessModes?: readonly string[];
}

/** The source of a CSI volume, and a volume's part that is the plugin's own. */
export type CsiSource = NonNullable<Spec["csi"]>;
export type InTreeSource = { readonly spec: Source; readonly annotations?: Readonly<Record<string, string>> };

export type Parameters = Readonly<Record<string, string>>;

/** The parameters of a class as the driver understands them. */
export interface TranslatedParameters {
  readonly parameters: Parameters;
  /** From the parameters `zone` and `zones`. */
  readonly zones?: readonly string[];
}

/** How the volumes of a driver belong to zones. */
export interface Zoning {
  /** The driver's own topology keys. */
  readonly zoneKey: string;
  readonly regionKey?: string;
  /** The region of a zone, for the clouds where its name tells. */
  regionOf?(zone: string): string | undefined;
  /** What the driver calls a zone of a class, where that differs. */
  zoneOf?(zone: string): string;
  /** Volumes keep the driver's keys in the in-tree form too. */
  readonly keepsKeys?: boolean;
}

/** An in-tree volume plugin that a CSI driver replaced, and how the two say the same thing. */
export interface InTreePlugin {
  readonly driver: string;
  /** In classes and annotations: `kubernetes.io/aws-ebs`. */
  readonly name: string;
  readonly zoning?: Zoning;
  /** A class of the plugin becomes one of the driver's name, too. */
  readonly renamesClass?: boolean;
  /** The volume in CSI terms, why there are none, or `undefined` for a volume of another plugin. */
  toCsi(volume: InTreeVolume): Result<Translated> | undefined;
  toInTree(csi: CsiSource): Result<InTreeSource>;
  /** Absent: parameters are the same. */
  parameters?(parameters: Parameters): TranslatedParameters;
  /** The handle as the driver lists it, where that differs from the translated one. */
  repairHandle?(handle: string, nodeId: string): Result<string>;
}

/** The labels that hold the zone and region of nodes and volumes. */
export const zoneLabel = "topology.kubernetes.io/zone";
export const oldZoneLabel = "failure-domain.beta.kubernetes.io/zone";
export const regionLabel = "topology.kubernetes.io/region";

export const fsTypeParameter = `${parameterPrefix}fstype`;

/** Renames parameters; `names` is keyed in lower case, because the in-tree plugins ignored case. */
export function renameParameters(parameters: Parameters, names: Parameters): Parameters {
  return Object.fromEntries(Object.entries(parameters).map(([key, value]) => [ownValue(names, key.toLowerCase()) ?? key, value]));
}

/** The same, with the zones split off: a driver gets them as topology. */
export function splitZones(parameters: Parameters, names: Parameters): TranslatedParameters {
  const given = Object.entries(parameters);
  const zones = given.flatMap(([key, value]) => {
    if (key.toLowerCase() === "zone") return [value];
    return key.toLowerCase() === "zones" ? value.split(",") : [];
  });
  const others = given.filter(([key]) => !/^zones?$/i.test(key));
  return { parameters: renameParameters(Object.fromEntries(others), names), ...(zones.length > 0 && { zones }) };
}

/** The partition of a disk from a volume's attributes; none where it is 0, the whole disk. */
export function partitionOf(attributes: Readonly<Record<string, string>> | undefined): Result<{ readonly partition?: number }> {
  const partition = Number(attributes?.partition || 0);
  if (!Number.isInteger(partition)) return { error: `failed to convert partition ${attributes?.partition} to integer` };
  return { value: partition === 0 ? {} : { partition } };
}
