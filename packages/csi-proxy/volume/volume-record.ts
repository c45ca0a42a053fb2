import { CsiProxyError } from "../csi-proxy-error.ts";
import type { Executor, OperationOptions } from "../powershell/executor.ts";
import { type OperationData, operationData } from "../powershell/operation-data.ts";
import { runOperation } from "../powershell/run-operation.ts";

/** Asks for a volume and reads from the answer what the caller needs. Windows knows no size of a volume without a file system. */
export async function queryVolume<T>(
  executor: Executor,
  volumeId: string,
  read: (volume: OperationData) => T,
  options?: OperationOptions,
): Promise<T> {
  const volume = operationData("volume.get", await runOperation(executor, "volume.get", { volumeID: volumeId }, options));
  if (volume.isNull) throw new CsiProxyError("NotFound", "volume not found", { op: "volume.get" });
  return read(volume);
}

export interface PartitionRecord {
  readonly diskNumber: number;
  readonly size: bigint;
}

export async function partitionOf(executor: Executor, volumeId: string, options?: OperationOptions): Promise<PartitionRecord> {
  const partition = operationData("volume.partition", await runOperation(executor, "volume.partition", { volumeID: volumeId }, options));
  if (partition.isNull) throw new CsiProxyError("NotFound", "partition of the volume not found", { op: "volume.partition" });
  return { diskNumber: partition.uint32("diskNumber"), size: partition.bigint("size") };
}
