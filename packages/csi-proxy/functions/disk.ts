import { Disk } from "../disk/disk.ts";
import type { DiskHostApi } from "../disk/host-api.ts";
import { defaultProxy } from "./default-proxy.ts";
import { replaceableHandler } from "./replaceable-handler.ts";

const { current, useHostApi, resetHostApi } = replaceableHandler<DiskHostApi, Disk>(
  () => defaultProxy().disk,
  (hostApi) => new Disk(hostApi),
);

export { resetHostApi, useHostApi };

export const listDiskLocations: Disk["listDiskLocations"] = (...args) => current().listDiskLocations(...args);
export const partitionDisk: Disk["partitionDisk"] = (...args) => current().partitionDisk(...args);
export const rescan: Disk["rescan"] = (...args) => current().rescan(...args);
export const listDiskIds: Disk["listDiskIds"] = (...args) => current().listDiskIds(...args);
export const getDiskStats: Disk["getDiskStats"] = (...args) => current().getDiskStats(...args);
export const setDiskState: Disk["setDiskState"] = (...args) => current().setDiskState(...args);
export const getDiskState: Disk["getDiskState"] = (...args) => current().getDiskState(...args);
