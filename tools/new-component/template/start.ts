import { retryRateLimiter, startPatchController } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import { PersistentVolume } from "@csi-sidecars/kube";
import { volumeFields } from "./fields.ts";
import type { TemplateSidecarComponentContext } from "./flags.ts";
import { planVolume } from "./plan-volume.ts";

/** Puts everything together, and works until the context's signal aborts. */
export function startTemplateSidecar(context: TemplateSidecarComponentContext): Promise<Running> {
  const { driver, flags, informers } = context;
  return startPatchController(context, {
    name: "csi-template-sidecar-pv",
    resource: PersistentVolume,
    view: informers.forFields(volumeFields),
    plan: (volume) => planVolume(volume, driver.name),
    workers: flags.workerThreads,
    rateLimiter: retryRateLimiter(flags),
    resyncMs: 600_000,
    handler: "template-sidecar",
  });
}
