import { CsiProxyError } from "../csi-proxy-error.ts";
import type { Executor, OperationOptions } from "../powershell/executor.ts";
import { operationData } from "../powershell/operation-data.ts";
import { runOperation } from "../powershell/run-operation.ts";
import { parsePage83 } from "../storage-id/page83.ts";
import type { ListedDisk } from "./disk-record.ts";
import type { DiskIds } from "./types.ts";

/** What the device behind a disk's path says about itself. */
export interface DeviceId {
  readonly deviceNumber?: number;
  /** Empty for a device without identifiers. */
  readonly page83?: string;
  /** Why something is missing. */
  readonly error?: string;
}

/** A parameter holds 32,767 characters; a node may have more disks than fit in one. */
const longestParameter = 32_000;

/** Asks the devices at these paths who they are. */
export async function queryDeviceIds(
  executor: Executor,
  paths: readonly string[],
  options?: OperationOptions,
): Promise<ReadonlyMap<string, DeviceId>> {
  const devices = new Map<string, DeviceId>();
  for (const batch of batches(paths)) {
    const answer = await runOperation(executor, "disk.deviceIds", { disk_paths: JSON.stringify(batch) }, options);
    for (const device of operationData("disk.deviceIds", answer).list()) {
      const deviceNumber = device.optionalUint32("deviceNumber");
      const descriptor = device.optionalString("descriptor");
      const error = device.optionalString("error");
      devices.set(device.string("path"), {
        ...(deviceNumber !== undefined && { deviceNumber }),
        ...(descriptor !== undefined && { page83: parsePage83(Buffer.from(descriptor, "base64")) }),
        ...(error && { error }),
      });
    }
  }
  return devices;
}

function batches(paths: readonly string[]): readonly (readonly string[])[] {
  const all: string[][] = [];
  let length = longestParameter;
  for (const path of paths) {
    const added = JSON.stringify(path).length + 1;
    if (length + added > longestParameter) {
      all.push([]);
      length = 2;
    }
    all.at(-1)?.push(path);
    length += added;
  }
  return all;
}

/**
 * The ids by disk number. Some virtual disks refuse the question: they are listed without a page 83 identifier, so that one odd disk does
 * not hide the others. Fails only where no device could be read at all.
 */
export function diskIdsOf(
  disks: readonly ListedDisk[],
  devices: ReadonlyMap<string, DeviceId>,
  warn: (message: string) => void,
): ReadonlyMap<number, DiskIds> {
  const read = new Map<number, DiskIds>();
  const unread = new Map<number, DiskIds>();
  const failures: string[] = [];
  for (const { number, path, serialNumber } of disks) {
    const { deviceNumber, page83, error = "no answer" } = (path !== undefined && devices.get(path)) || {};
    if (page83 === undefined) failures.push(`disk ${number}: ${error}`);
    const isRead = deviceNumber !== undefined || page83 !== undefined;
    (isRead ? read : unread).set(deviceNumber ?? number, { page83: page83 ?? "", serialNumber });
  }
  if (disks.length > 0 && read.size === 0)
    throw new CsiProxyError("Internal", `failed to read the ids of any disk: ${failures.join("; ")}`, { op: "disk.deviceIds" });
  for (const failure of failures) warn(`could not read the page 83 identifier of ${failure}`);
  return new Map([...unread, ...read]);
}
