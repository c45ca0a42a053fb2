import { runAll, waitForCacheSync } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import { driverInfo } from "./driver-capabilities.ts";
import { addEventHandlers } from "./event-handlers.ts";
import type { ResizerComponentContext } from "./flags.ts";
import { resizerMetrics } from "./metrics.ts";
import { modifyContext } from "./modify/modify-context.ts";
import { reconcileModify } from "./modify/reconcile-modify.ts";
import { reconcileResize } from "./resize/reconcile-resize.ts";
import { resizeContext } from "./resize/resize-context.ts";
import { resizerContext } from "./resizer-context.ts";

/** Asks the driver what it can do, waits for the caches, and works until the context's signal aborts. */
export async function startResizer(context: ResizerComponentContext): Promise<Running> {
  const { driver, flags, gates, log, metrics, signal } = context;
  const info = await driverInfo(driver.name, driver.capabilities, { timeoutMs: flags.timeout });
  log.info("Starting controllers", { ...info });
  const c = resizerContext(context, info);
  const resize = info.expansion === "none" ? undefined : resizeContext(context, c);
  const modify = info.modifiesVolumes && gates.enabled("VolumeAttributesClass") ? modifyContext(context, c) : undefined;
  // The handler of claims looks up their volumes: what exists now is given to it when both are known.
  if (!(await waitForCacheSync(Object.values(c.caches), signal))) return { done: Promise.resolve() };
  addEventHandlers(c, { resize, modify }, flags.resyncPeriod);
  resizerMetrics(metrics, { resize, modify });
  const parts = [
    ...(resize ? [resize.controller.run(reconcileResize(resize), signal)] : []),
    ...(modify ? [modify.controller.run(reconcileModify(modify), signal)] : []),
  ];
  return { done: runAll(parts, signal) };
}
