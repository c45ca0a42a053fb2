import type { SystemHostApi } from "../system/host-api.ts";
import { System } from "../system/system.ts";
import { defaultProxy } from "./default-proxy.ts";
import { replaceableHandler } from "./replaceable-handler.ts";

const { current, useHostApi, resetHostApi } = replaceableHandler<SystemHostApi, System>(
  () => defaultProxy().system,
  (hostApi) => new System(hostApi),
);

export { resetHostApi, useHostApi };

export const getBiosSerialNumber: System["getBiosSerialNumber"] = (...args) => current().getBiosSerialNumber(...args);
export const getService: System["getService"] = (...args) => current().getService(...args);
export const startService: System["startService"] = (...args) => current().startService(...args);
export const stopService: System["stopService"] = (...args) => current().stopService(...args);
