import { runAll, waitForCacheSync } from "@csi-sidecars/controller";
import { aborted, type Running } from "@csi-sidecars/host";
import { driverInfo } from "./driver-capabilities.ts";
import { addEventHandlers } from "./event-handlers.ts";
import type { ResizerComponentContext } from "./flags.ts";
import { forgettingDeleted } from "./forget-deleted.ts";
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
  const expands = info.expansion !== "none";
  const modifies = info.modifiesVolumes && gates.enabled("VolumeAttributesClass");
  if (!expands && !modifies) {
    log.info("The driver only modifies volumes, and VolumeAttributesClass is off: there is nothing to do");
    return { done: aborted(signal) };
  }
  const c = resizerContext(context, info);
  const resize = expands ? resizeContext(context, c) : undefined;
  const modify = modifies ? modifyContext(context, c) : undefined;
  // The handler of claims looks up their volumes: what exists now is given to it when both are known.
  if (!(await waitForCacheSync(Object.values(c.caches), signal))) return { done: Promise.resolve() };
  addEventHandlers(c, { resize, modify }, flags.resyncPeriod);
  resizerMetrics(metrics, { resize, modify });
  const parts = [
    ...(resize ? [resize.controller.run(forgettingDeleted(resize, reconcileResize(resize)), signal)] : []),
    ...(modify ? [modify.controller.run(forgettingDeleted(modify, reconcileModify(modify)), signal)] : []),
  ];
  return { done: runAll(parts, signal) };
}
