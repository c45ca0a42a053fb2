import type { VolumeHostApi } from "../volume/host-api.ts";
import { Volume } from "../volume/volume.ts";
import { defaultProxy } from "./default-proxy.ts";
import { replaceableHandler } from "./replaceable-handler.ts";

const { current, useHostApi, resetHostApi } = replaceableHandler<VolumeHostApi, Volume>(
  () => defaultProxy().volume,
  (hostApi) => new Volume(hostApi),
);

export { resetHostApi, useHostApi };

export const listVolumesOnDisk: Volume["listVolumesOnDisk"] = (...args) => current().listVolumesOnDisk(...args);
export const mountVolume: Volume["mountVolume"] = (...args) => current().mountVolume(...args);
export const unmountVolume: Volume["unmountVolume"] = (...args) => current().unmountVolume(...args);
export const isVolumeFormatted: Volume["isVolumeFormatted"] = (...args) => current().isVolumeFormatted(...args);
export const formatVolume: Volume["formatVolume"] = (...args) => current().formatVolume(...args);
export const resizeVolume: Volume["resizeVolume"] = (...args) => current().resizeVolume(...args);
export const getVolumeStats: Volume["getVolumeStats"] = (...args) => current().getVolumeStats(...args);
export const getDiskNumberFromVolumeId: Volume["getDiskNumberFromVolumeId"] = (...args) => current().getDiskNumberFromVolumeId(...args);
export const getVolumeIdFromTargetPath: Volume["getVolumeIdFromTargetPath"] = (...args) => current().getVolumeIdFromTargetPath(...args);
export const getClosestVolumeIdFromTargetPath: Volume["getClosestVolumeIdFromTargetPath"] = (...args) =>
  current().getClosestVolumeIdFromTargetPath(...args);
export const writeVolumeCache: Volume["writeVolumeCache"] = (...args) => current().writeVolumeCache(...args);
