import type { OperationOptions } from "../powershell/executor.ts";
import type { GetServiceResponse } from "./types.ts";

/** What the `System` handler asks of the operating system. Every method takes the options that it must hand on to the executor. */
export interface SystemHostApi {
  getBiosSerialNumber(options?: OperationOptions): Promise<string>;
  getService(name: string, options?: OperationOptions): Promise<GetServiceResponse>;
  /** Resolves when the service runs. */
  startService(name: string, options?: OperationOptions): Promise<void>;
  /** Resolves when the service has stopped; with `force` its dependents have stopped before it. */
  stopService(name: string, force: boolean, options?: OperationOptions): Promise<void>;
}
