/** One primitive that is left to PowerShell; what to do with its answer is decided in TypeScript. */
export interface Operation {
  /** The names of its parameters: environment variables of a process, keys in a session. */
  readonly params: readonly string[];
  /** Those that are secret: never in a log or an error. */
  readonly secrets?: readonly string[];
  /** Whether it changes something: then it is never killed and never repeated. */
  readonly mutates: boolean;
}

const reads = (...params: readonly string[]): Operation => ({ params, mutates: false });
const changes = (...params: readonly string[]): Operation => ({ params, mutates: true });

const portal = ["iscsi_tp_address", "iscsi_tp_port"] as const;
const target = [...portal, "iscsi_target_iqn"] as const;

/** Everything that this package asks of PowerShell. */
export const operations = {
  "disk.list": reads("disk_number"),
  "disk.deviceIds": reads("disk_paths"),
  "disk.rescan": changes(),
  "disk.initialize": changes("disk_number"),
  "disk.partitions": reads("disk_number"),
  "disk.createPartition": changes("disk_number", "gpt_type"),
  "disk.refresh": changes("disk_number"),
  "disk.setOnline": changes("disk_number", "is_online"),
  "partition.online": changes("disk_number", "partition_number"),
  "volume.list": reads("disk_number", "partition_number"),
  "volume.get": reads("volumeID"),
  "volume.format": changes("volumeID"),
  "volume.flush": changes("volumeID"),
  "volume.partition": reads("volumeID"),
  "volume.supportedSize": reads("volumeID"),
  "volume.resize": changes("volumeID", "size_bytes"),
  "volume.addMountPoint": changes("volumeID", "mountpath"),
  "volume.removeMountPoint": changes("volumeID", "mountpath"),
  "volume.byDriveLetter": reads("drivepath"),
  "fs.reparseInfo": reads("linkpath"),
  "fs.testPath": reads("remotepath"),
  "smb.getMapping": reads("smbremotepath"),
  "smb.newMapping": { ...changes("smbremotepath", "smbuser", "smbpassword", "require_privacy"), secrets: ["smbpassword"] },
  "smb.removeMapping": changes("smbremotepath"),
  "iscsi.listPortals": reads(),
  "iscsi.newPortal": changes(...portal),
  "iscsi.removePortal": changes(...portal),
  "iscsi.targets": reads(...portal),
  "iscsi.connect": {
    ...changes(...target, "iscsi_auth_type", "iscsi_chap_user", "iscsi_chap_secret"),
    secrets: ["iscsi_chap_secret"],
  },
  "iscsi.sessions": reads(...target),
  "iscsi.unregister": changes("iscsi_session_id"),
  "iscsi.disconnect": changes("iscsi_target_iqn", "iscsi_session_id"),
  "iscsi.targetDisks": reads(...target),
  "iscsi.setChapSecret": { ...changes("iscsi_mutual_chap_secret"), secrets: ["iscsi_mutual_chap_secret"] },
  "system.bios": reads(),
  "system.getService": reads("ServiceName"),
  "system.startService": changes("ServiceName"),
  "system.stopService": changes("ServiceName"),
  "system.dependents": reads("ServiceName"),
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationId = keyof typeof operations;
