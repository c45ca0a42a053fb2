import { runAll, waitForCacheSync } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import { reconcileAttach } from "./attach/reconcile-attach.ts";
import { attacherContext } from "./attacher-context.ts";
import { recoverDeletedAttachments } from "./detach/orphaned-attachments.ts";
import { reconcileDetach } from "./detach/reconcile-detach.ts";
import { type CsiMode, driverMode } from "./driver-mode.ts";
import { addEventHandlers } from "./event-handlers.ts";
import type { AttacherComponentContext } from "./flags.ts";
import { reconcilePublishedVolumes } from "./reconcile/reconcile-published.ts";
import { startTrivialHandler } from "./trivial-handler.ts";
import { reconcileVolumeFinalizer } from "./volume-finalizer.ts";

/** Asks the driver what it can do, waits for the caches, and works until the context's signal aborts. */
export async function startAttacher(context: AttacherComponentContext): Promise<Running> {
  const mode = await driverMode(context.driver.capabilities);
  context.log.info("Serving the driver", { driver: context.driver.name, ...mode });
  return mode.kind === "trivial" ? startTrivialHandler(context) : startCsiHandler(context, mode);
}

async function startCsiHandler(context: AttacherComponentContext, mode: CsiMode): Promise<Running> {
  const { flags, signal } = context;
  const c = attacherContext(context, mode);
  addEventHandlers(c, flags.resync);
  if (!(await waitForCacheSync(Object.values(c.caches), signal))) return { done: Promise.resolve() };

  const recovered = recoverDeletedAttachments(c, signal);
  const parts = [
    c.queues.run({ attach: reconcileAttach(c), detach: reconcileDetach(c) }, signal),
    // Before that, the attachment of a deleted volume may have been deleted without anybody having detached it.
    recovered.then(() => c.volumeController.run(reconcileVolumeFinalizer(c), signal)),
    ...(mode.listsPublished ? [reconcilePublishedVolumes(c, flags, signal)] : []),
  ];
  return { done: runAll(parts, signal) };
}
