import { type DriverOptions, type ProgramRun, runInProcess, type ScriptedDriver, startScriptedDriver } from "@csi-sidecars/testcluster";
import { livenessprobe } from "../component.ts";

/** A driver, the program that probes it, and what kubelet would ask. */
export interface ProbeWorld extends AsyncDisposable {
  readonly driver: ScriptedDriver;
  readonly run: ProgramRun;
  /** What kubelet would see. */
  healthz(init?: RequestInit): Promise<readonly [status: number, body: string]>;
  get(path: string): Promise<readonly [status: number, body: string]>;
}

/** Starts a driver and livenessprobe as its individual program, on a port of its own. */
export async function probeWorld(driverOptions: DriverOptions = {}, flags: readonly string[] = []): Promise<ProbeWorld> {
  const driver = await startScriptedDriver(driverOptions);
  const run = await runInProcess([livenessprobe], [`--csi-address=${driver.address}`, "--http-endpoint=127.0.0.1:0", ...flags]);
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${await run.url()}${path}`, init);
    return [response.status, await response.text()] as const;
  };
  return {
    driver,
    run,
    get,
    healthz: (init) => get("/healthz", init),
    async [Symbol.asyncDispose]() {
      await run[Symbol.asyncDispose]();
      await driver[Symbol.asyncDispose]();
    },
  };
}
