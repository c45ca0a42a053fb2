import { CsiProxyError } from "../csi-proxy-error.ts";
import { inContext } from "../error-context.ts";
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

/** A disk without a number is one of a cluster that another node has: nobody can use it here. */
export async function listDisks(executor: Executor, options?: OperationOptions): Promise<readonly ListedDisk[]> {
  return (await inContext("failed to list disks: ", query(executor, "", options))).flatMap((disk) => {
    const number = disk.optionalUint32("number");
    const path = disk.optionalString("path");
    if (number === undefined) return [];
    return {
      number,
      ...(path && { path }),
      serialNumber: disk.optionalString("serialNumber") ?? "",
      location: disk.optionalString("location") ?? "",
    };
  });
}

/** Asks for one disk and reads from the answer what the caller needs: an odd value elsewhere in it does no harm. */
export async function queryDisk<T>(
  executor: Executor,
  diskNumber: number,
  read: (disk: OperationData) => T,
  options?: OperationOptions,
): Promise<T> {
  const asked = query(executor, String(diskNumber), options).then((disks) => {
    const disk = disks.find((disk) => disk.uint32("number") === diskNumber);
    if (!disk) throw new CsiProxyError("NotFound", "not found", { op: "disk.list" });
    return read(disk);
  });
  return inContext(`failed to query disk ${diskNumber}: `, asked);
}

async function query(executor: Executor, diskNumber: string, options?: OperationOptions): Promise<readonly OperationData[]> {
  return operationData("disk.list", await runOperation(executor, "disk.list", { disk_number: diskNumber }, options)).list();
}

export function partitionTable(disk: OperationData): PartitionTable | false {
  const style = disk.uint32("partitionStyle");
  if (style === 0) return false;
  return style === 2 ? "gpt" : "mbr";
}
