import { type Clock, systemClock } from "@csi-sidecars/base";
import { inContext } from "../error-context.ts";
import type { Executor } from "../powershell/executor.ts";
import { operationData } from "../powershell/operation-data.ts";
import { runOperation } from "../powershell/run-operation.ts";
import { ServiceControl } from "./control-service.ts";
import type { SystemHostApi } from "./host-api.ts";
import { queryService, serviceStatus, startType } from "./service-record.ts";

/** The node through Windows' management classes. */
export function windowsSystemHostApi(executor: Executor, { clock = systemClock }: { readonly clock?: Clock } = {}): SystemHostApi {
  const services = new ServiceControl(executor, clock);
  return {
    async getBiosSerialNumber(options) {
      const asked = runOperation(executor, "system.bios", {}, options);
      const bios = operationData("system.bios", await inContext("failed to get the BIOS serial number: ", asked));
      return bios.optionalString("serialNumber") ?? "";
    },

    async getService(name, options) {
      const queried = queryService(executor, name, options);
      const { displayName, state, startMode } = await inContext(`failed to get service ${name}: `, queried);
      return { displayName, startType: startType(startMode), status: serviceStatus(state) };
    },

    startService: (name, options) => services.start(name, options),

    stopService: (name, force, options) => services.stop(name, force, options),
  };
}
