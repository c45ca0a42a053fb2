import { runAll, waitForCacheSync } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import { reconcileAttach } from "./attach/reconcile-attach.ts";
import { attacherContext } from "./attacher-context.ts";
import { recoverDeletedAttachments } from "./detach/orphaned-attachments.ts";
import { reconcileDetach } from "./detach/reconcile-detach.ts";
import { type PublishCapabilities, publishCapabilities } from "./driver-capabilities.ts";
import { addEventHandlers } from "./event-handlers.ts";
import type { AttacherComponentContext } from "./flags.ts";
import { reconcilePublishedVolumes } from "./reconcile/reconcile-published.ts";
import { startTrivialHandler } from "./trivial-handler.ts";
import { reconcileVolumeFinalizer } from "./volume-finalizer.ts";

/** Asks the driver what it can do, waits for the caches, and works until the context's signal aborts. */
export async function startAttacher(context: AttacherComponentContext): Promise<Running> {
  const { driver, log } = context;
  const capabilities = await publishCapabilities(driver.capabilities);
  log.info("Starting controllers", { driver: driver.name, handler: capabilities ? "csi" : "trivial", ...capabilities });
  return capabilities ? startCsiHandler(context, capabilities) : startTrivialHandler(context);
}

async function startCsiHandler(context: AttacherComponentContext, capabilities: PublishCapabilities): Promise<Running> {
  const { flags, signal } = context;
  const c = attacherContext(context, capabilities);
  addEventHandlers(c, flags.resync);
  if (!(await waitForCacheSync(Object.values(c.caches), signal))) return { done: Promise.resolve() };

  const recovered = recoverDeletedAttachments(c, signal);
  const parts = [
    c.queues.run({ attach: reconcileAttach(c), detach: reconcileDetach(c) }, signal),
    // Before that, the attachment of a deleted volume may have been deleted without anybody having detached it.
    recovered.then(() => c.volumeController.run(reconcileVolumeFinalizer(c), signal)),
    ...(capabilities.listVolumesPublishedNodes ? [reconcilePublishedVolumes(c, flags, signal)] : []),
  ];
  return { done: runAll(parts, signal) };
}
