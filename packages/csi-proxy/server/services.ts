import type { ServiceDefinition } from "@csi-sidecars/csi";
import { DiskDefinition as disk_v1 } from "../gen/disk/v1.ts";
import { DiskDefinition as disk_v1alpha1 } from "../gen/disk/v1alpha1.ts";
import { DiskDefinition as disk_v1beta1 } from "../gen/disk/v1beta1.ts";
import { DiskDefinition as disk_v1beta2 } from "../gen/disk/v1beta2.ts";
import { DiskDefinition as disk_v1beta3 } from "../gen/disk/v1beta3.ts";
import { FilesystemDefinition as filesystem_v1 } from "../gen/filesystem/v1.ts";
import { FilesystemDefinition as filesystem_v1alpha1 } from "../gen/filesystem/v1alpha1.ts";
import { FilesystemDefinition as filesystem_v1beta1 } from "../gen/filesystem/v1beta1.ts";
import { FilesystemDefinition as filesystem_v1beta2 } from "../gen/filesystem/v1beta2.ts";
import { FilesystemDefinition as filesystem_v2alpha1 } from "../gen/filesystem/v2alpha1.ts";
import { IscsiDefinition as iscsi_v1alpha1 } from "../gen/iscsi/v1alpha1.ts";
import { IscsiDefinition as iscsi_v1alpha2 } from "../gen/iscsi/v1alpha2.ts";
import { SmbDefinition as smb_v1 } from "../gen/smb/v1.ts";
import { SmbDefinition as smb_v1alpha1 } from "../gen/smb/v1alpha1.ts";
import { SmbDefinition as smb_v1beta1 } from "../gen/smb/v1beta1.ts";
import { SmbDefinition as smb_v1beta2 } from "../gen/smb/v1beta2.ts";
import { SystemDefinition as system_v1alpha1 } from "../gen/system/v1alpha1.ts";
import { VolumeDefinition as volume_v1 } from "../gen/volume/v1.ts";
import { VolumeDefinition as volume_v1alpha1 } from "../gen/volume/v1alpha1.ts";
import { VolumeDefinition as volume_v1beta1 } from "../gen/volume/v1beta1.ts";
import { VolumeDefinition as volume_v1beta2 } from "../gen/volume/v1beta2.ts";
import { VolumeDefinition as volume_v1beta3 } from "../gen/volume/v1beta3.ts";
import { VolumeDefinition as volume_v2alpha1 } from "../gen/volume/v2alpha1.ts";
import type { ApiGroupName, VersionOf } from "./api-groups.ts";

/** The generated service of every group and version. */
export const services = {
  filesystem: {
    v1alpha1: filesystem_v1alpha1,
    v1beta1: filesystem_v1beta1,
    v1beta2: filesystem_v1beta2,
    v1: filesystem_v1,
    v2alpha1: filesystem_v2alpha1,
  },
  disk: { v1alpha1: disk_v1alpha1, v1beta1: disk_v1beta1, v1beta2: disk_v1beta2, v1beta3: disk_v1beta3, v1: disk_v1 },
  volume: {
    v1alpha1: volume_v1alpha1,
    v1beta1: volume_v1beta1,
    v1beta2: volume_v1beta2,
    v1beta3: volume_v1beta3,
    v1: volume_v1,
    v2alpha1: volume_v2alpha1,
  },
  smb: { v1alpha1: smb_v1alpha1, v1beta1: smb_v1beta1, v1beta2: smb_v1beta2, v1: smb_v1 },
  system: { v1alpha1: system_v1alpha1 },
  iscsi: { v1alpha1: iscsi_v1alpha1, v1alpha2: iscsi_v1alpha2 },
} as const satisfies { readonly [G in ApiGroupName]: { readonly [V in VersionOf<G>]: ServiceDefinition } };

type Services = typeof services;

/** The service of a group in a version. */
export type ServiceOf<G extends ApiGroupName, V extends keyof Services[G]> = Services[G][V];
