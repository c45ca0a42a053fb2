import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Component } from "@csi-sidecars/host";
import {
  type DriverOptions,
  type PluginWatcher,
  type PluginWatcherOptions,
  type ProgramRun,
  type RunOptions,
  runInProcess,
  type ScriptedDriver,
  startPluginWatcher,
  startScriptedDriver,
} from "@csi-sidecars/testcluster";
import { nodeDriverRegistrar } from "../component.ts";

export const hostPath = "/var/lib/kubelet/plugins/driver.example.com/csi.sock";

/** A node: kubelet's registry directory, a driver, and registrars; all ended at the end of the block. */
export interface TestNode extends AsyncDisposable {
  readonly registry: string;
  readonly driver: ScriptedDriver;
  /** Where the registration socket belongs. */
  readonly socket: string;
  kubelet(options?: Partial<PluginWatcherOptions>): Promise<PluginWatcher>;
  registrar(flags?: readonly string[], options?: RunOptions & { readonly beside?: readonly Component[] }): Promise<ProgramRun>;
}

export async function testNode(driverOptions: DriverOptions = {}): Promise<TestNode> {
  const registry = await mkdtemp(join(tmpdir(), "registry-"));
  const driver = await startScriptedDriver(driverOptions);
  const started: AsyncDisposable[] = [];
  const keep = <T extends AsyncDisposable>(one: T): T => {
    started.push(one);
    return one;
  };
  return {
    registry,
    driver,
    socket: join(registry, `${driver.settings.name}-reg.sock`),
    kubelet: async (options) => keep(await startPluginWatcher({ directory: registry, ...options })),
    registrar: async (flags = [], { beside = [], ...options } = {}) => {
      const own = [`--csi-address=${driver.address}`, `--kubelet-registration-path=${hostPath}`, `--plugin-registration-path=${registry}`];
      return keep(await runInProcess([nodeDriverRegistrar, ...beside], [...own, ...flags], options));
    },
    async [Symbol.asyncDispose]() {
      for (const one of started.reverse()) await one[Symbol.asyncDispose]();
      await driver[Symbol.asyncDispose]();
      await rm(registry, { recursive: true, force: true });
    },
  };
}
