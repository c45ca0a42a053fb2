import { runAll, waitForCacheSync, waitForKinds } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import { addEventHandlers } from "./event-handlers.ts";
import type { ValidatorComponentContext } from "./flags.ts";
import { populatorKinds } from "./kinds.ts";
import { reconcileClaim } from "./reconcile-claim.ts";
import { validatorContext } from "./validator-context.ts";

/** Works until the context's signal aborts. The kind VolumePopulator may be installed later. */
export async function startValidator(context: ValidatorComponentContext): Promise<Running> {
  return { done: runAll([run(context)], context.signal) };
}

async function run(context: ValidatorComponentContext): Promise<void> {
  const { signal } = context;
  if (!(await waitForKinds(context, populatorKinds, signal))) return;
  const c = validatorContext(context);
  // A claim is judged when all populators are known, and each once: what exists now is given to the handlers then.
  if (!(await waitForCacheSync([c.caches.populators, c.caches.claims], signal))) return;
  addEventHandlers(c);
  await c.claimLoop.run(reconcileClaim(c), signal);
}
