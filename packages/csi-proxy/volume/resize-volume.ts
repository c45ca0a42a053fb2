import { inContext } from "../error-context.ts";
import type { Executor, OperationOptions } from "../powershell/executor.ts";
import { operationData } from "../powershell/operation-data.ts";
import { returnValueOf, runMethod, runOperation } from "../powershell/run-operation.ts";
import { decideResize } from "./resize-decision.ts";
import { partitionOf } from "./volume-record.ts";

/** Grows the partition of a volume, and its file system with it. Whether it did; `warn` gets what was asked for and not done. */
export async function resizeVolume(
  executor: Executor,
  volumeId: string,
  sizeBytes: bigint,
  warn: (message: string) => void,
  options?: OperationOptions,
): Promise<boolean> {
  const { diskNumber, size } = await inContext(`error resizing volume (${volumeId}). error: `, partitionOf(executor, volumeId, options));
  const wanted = sizeBytes === 0n ? await largestSize(executor, volumeId, options) : sizeBytes;
  const { shouldResize, ignored } = decideResize(size, wanted);
  if (ignored !== undefined) warn(`volume ${volumeId}: ${ignored}`);
  if (!shouldResize) return false;

  const params = { volumeID: volumeId, size_bytes: String(wanted) };
  const resize = { class: "MSFT_Partition", method: "Resize", target: volumeId };
  const context = `error resizing volume (${volumeId}) from ${size} to ${wanted} bytes. error: `;
  await inContext(context, runMethod(executor, "volume.resize", params, resize, options));

  const disk = { disk_number: String(diskNumber) };
  const refresh = { class: "MSFT_Disk", method: "Refresh", target: `disk ${diskNumber}` };
  await inContext(`failed to refresh disk ${diskNumber}: `, runMethod(executor, "disk.refresh", disk, refresh, options));
  return true;
}

async function largestSize(executor: Executor, volumeId: string, options?: OperationOptions): Promise<bigint> {
  const asked = runOperation(executor, "volume.supportedSize", { volumeID: volumeId }, options).then((data) => {
    returnValueOf("volume.supportedSize", data, { class: "MSFT_Partition", method: "GetSupportedSize", target: volumeId });
    return operationData("volume.supportedSize", data).bigint("sizeMax");
  });
  return inContext(`error getting the supported size of volume (${volumeId}). error: `, asked);
}
