import { CsiProxyError } from "../csi-proxy-error.ts";
import type { Executor, OperationOptions } from "../powershell/executor.ts";
import { type OperationData, operationData } from "../powershell/operation-data.ts";
import { runOperation } from "../powershell/run-operation.ts";
import type { PartitionTable } from "./host-api.ts";

/** What tells the disks of a node apart. */
export interface ListedDisk {
  readonly number: number;
  /** What to open it by; absent for a disk that has no device. */
  readonly path?: string;
  readonly serialNumber: string;
  readonly location: string;
}

/** What one disk is like at present. */
export interface DiskStatus {
  readonly table: PartitionTable | false;
  readonly isOnline: boolean;
  readonly size: bigint;
}

export async function listDisks(executor: Executor, options?: OperationOptions): Promise<readonly ListedDisk[]> {
  return (await query(executor, "", options)).map((disk) => {
    const path = disk.optionalString("path");
    return {
      number: disk.uint32("number"),
      ...(path && { path }),
      serialNumber: disk.optionalString("serialNumber") ?? "",
      location: disk.optionalString("location") ?? "",
    };
  });
}

export async function queryDisk(executor: Executor, diskNumber: number, options?: OperationOptions): Promise<DiskStatus> {
  const disk = (await query(executor, String(diskNumber), options)).find((disk) => disk.uint32("number") === diskNumber);
  if (!disk) throw new CsiProxyError("NotFound", `failed to query disk ${diskNumber}: not found`, { op: "disk.list" });
  return {
    table: partitionTable(disk.uint32("partitionStyle")),
    isOnline: !disk.boolean("isOffline"),
    size: disk.bigint("size"),
  };
}

async function query(executor: Executor, diskNumber: string, options?: OperationOptions): Promise<readonly OperationData[]> {
  return operationData("disk.list", await runOperation(executor, "disk.list", { disk_number: diskNumber }, options)).list();
}

function partitionTable(style: number): PartitionTable | false {
  if (style === 0) return false;
  return style === 2 ? "gpt" : "mbr";
}
