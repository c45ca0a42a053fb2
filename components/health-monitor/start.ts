import { runAll, waitForCacheSync } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import { driverInfo } from "./driver-capabilities.ts";
import type { HealthMonitorComponentContext } from "./flags.ts";
import { healthContext } from "./health-context.ts";
import { nodeContext } from "./node/node-context.ts";
import { runNodeWatcher } from "./node/run-node-watcher.ts";
import { runVolumeChecks } from "./volume/run-volume-checks.ts";

/** Asks the driver what it can do, waits for the caches, and works until the context's signal aborts. */
export async function startHealthMonitor(context: HealthMonitorComponentContext): Promise<Running> {
  const { driver, flags, log, signal } = context;
  const info = await driverInfo(driver.name, driver.capabilities, { timeoutMs: flags.timeout });
  log.info("Starting controllers", { ...info });
  const c = healthContext(context, info);
  const nodes = flags.enableNodeWatcher ? nodeContext(context, c) : undefined;
  if (!(await waitForCacheSync([c.volumes, c.claims], signal))) return { done: Promise.resolve() };
  const parts = [runVolumeChecks(context, c), ...(nodes ? [runNodeWatcher(nodes, signal)] : [])];
  return { done: runAll(parts, signal) };
}
