import { CsiProxyError } from "../csi-proxy-error.ts";
import type { Executor, OperationOptions } from "../powershell/executor.ts";
import { operationData } from "../powershell/operation-data.ts";
import { runOperation } from "../powershell/run-operation.ts";
import { ServiceStatus, StartType } from "./types.ts";

/** The words that Win32_Service uses. */
const statuses: ReadonlyMap<string, ServiceStatus> = new Map([
  ["Unknown", ServiceStatus.UNKNOWN],
  ["Stopped", ServiceStatus.STOPPED],
  ["Start Pending", ServiceStatus.START_PENDING],
  ["Stop Pending", ServiceStatus.STOP_PENDING],
  ["Running", ServiceStatus.RUNNING],
  ["Continue Pending", ServiceStatus.CONTINUE_PENDING],
  ["Pause Pending", ServiceStatus.PAUSE_PENDING],
  ["Paused", ServiceStatus.PAUSED],
]);

const startTypes: ReadonlyMap<string, StartType> = new Map([
  ["Boot", StartType.BOOT],
  ["System", StartType.SYSTEM],
  ["Auto", StartType.AUTOMATIC],
  ["Manual", StartType.MANUAL],
  ["Disabled", StartType.DISABLED],
]);

/** The number of a word; 0 for one that Windows may add some day. */
export function serviceStatus(state: string): ServiceStatus {
  return statuses.get(state) ?? ServiceStatus.UNKNOWN;
}

export function startType(mode: string): StartType {
  return startTypes.get(mode) ?? StartType.BOOT;
}

export interface ServiceRecord {
  readonly displayName: string;
  /** As Windows spells it: `Start Pending`. */
  readonly state: string;
  readonly startMode: string;
}

export async function queryService(executor: Executor, name: string, options?: OperationOptions): Promise<ServiceRecord> {
  const service = operationData("system.getService", await runOperation(executor, "system.getService", { ServiceName: name }, options));
  if (service.isNull) throw new CsiProxyError("NotFound", `service ${name} not found`, { op: "system.getService" });
  return {
    displayName: service.optionalString("displayName") ?? "",
    state: service.optionalString("state") ?? "",
    startMode: service.optionalString("startMode") ?? "",
  };
}

/** The services that directly need this one. */
export async function queryDependents(executor: Executor, name: string, options?: OperationOptions): Promise<readonly string[]> {
  return operationData("system.dependents", await runOperation(executor, "system.dependents", { ServiceName: name }, options)).strings();
}
