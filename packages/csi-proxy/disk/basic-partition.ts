import { CsiProxyError } from "../csi-proxy-error.ts";
import { inContext } from "../error-context.ts";
import type { Executor, OperationOptions } from "../powershell/executor.ts";
import { operationData } from "../powershell/operation-data.ts";
import { runMethod, runOperation } from "../powershell/run-operation.ts";
import type { PartitionTable } from "./host-api.ts";

/** The type of the partition that Windows keeps for itself on every GPT disk. */
const reservedType = "{e3c9e316-0b5c-4db8-817d-f92df00215ae}";
const basicDataType = "{ebd0a0a2-b9e5-4433-87c0-68b6b72699c7}";

/** The partition was created but has no access path, which nobody wants here: volumes are mounted by their id. */
const accessPathNotAssigned = 42002;

/** The numbers of all partitions that can hold data. On MBR disks partitions have no GPT type, and all of them count. */
export async function basicPartitions(executor: Executor, diskNumber: number, options?: OperationOptions): Promise<readonly number[]> {
  const listed = runOperation(executor, "disk.partitions", { disk_number: String(diskNumber) }, options);
  const partitions = operationData("disk.partitions", await inContext(`failed to list the partitions of disk ${diskNumber}: `, listed));
  return partitions
    .list()
    .filter((partition) => partition.optionalString("gptType")?.toLowerCase() !== reservedType)
    .map((partition) => partition.uint32("partitionNumber"));
}

/** Makes one partition of all free space, and brings it online. */
export async function createBasicPartition(
  executor: Executor,
  diskNumber: number,
  table: PartitionTable,
  options?: OperationOptions,
): Promise<void> {
  const disk = { disk_number: String(diskNumber) };
  const target = `disk ${diskNumber}`;
  // Windows rejects a GPT type on an MBR disk.
  const gptType = table === "gpt" ? basicDataType : "";
  const create = { class: "MSFT_Disk", method: "CreatePartition", target, tolerated: [accessPathNotAssigned] };
  const created = runMethod(executor, "disk.createPartition", { ...disk, gpt_type: gptType }, create, options);
  await inContext(`failed to create a partition on disk ${diskNumber}: `, created);
  const refresh = { class: "MSFT_Disk", method: "Refresh", target };
  await inContext(`failed to refresh disk ${diskNumber}: `, runMethod(executor, "disk.refresh", disk, refresh, options));

  const [partition] = await basicPartitions(executor, diskNumber, options);
  if (partition === undefined)
    throw new CsiProxyError("Internal", `disk ${diskNumber} has no partition after one was created: partition not found`);
  const online = { class: "MSFT_Partition", method: "Online", target };
  const params = { ...disk, partition_number: String(partition) };
  const context = `failed to bring partition ${partition} of disk ${diskNumber} online: `;
  await inContext(context, runMethod(executor, "partition.online", params, online, options));
}
