import {
  type Cached,
  type Client,
  done,
  ignoreNotFound,
  type KubeObject,
  type Patch,
  type RateLimiter,
  type Resource,
  type View,
} from "@csi-sidecars/kube";
import { apiCallOptions } from "./api-calls.ts";
import { Controller, type ControllerContext, waitForCacheSync } from "./controller.ts";

/** What one object needs; `undefined`: nothing. */
export interface PlannedPatch {
  readonly patch: Patch;
  readonly subresource?: "status";
}

interface PatchControllerOptions<T extends KubeObject, P extends Cached> {
  /** The queue's name in the metrics. */
  readonly name: string;
  readonly resource: Resource<T>;
  readonly view: Pick<View<P>, "get" | "addHandler" | "waitForSync">;
  readonly plan: (object: P) => PlannedPatch | undefined;
  /** How many objects are patched at the same time. */
  readonly workers: number;
  /** How long an object whose patch failed waits. */
  readonly rateLimiter: RateLimiter;
  readonly resyncMs: number;
  /** Names the event handler where it fails. */
  readonly handler: string;
}

/**
 * The controller of a driver that has nothing to do for a kind of cluster-scoped object: all that is left is to patch what users and
 * the cluster wait for. Resolves when it runs.
 */
export async function startPatchController<T extends KubeObject, P extends Cached>(
  context: ControllerContext & { readonly kube: Client; readonly signal: AbortSignal },
  { name, resource, view, plan, workers, rateLimiter, resyncMs, handler }: PatchControllerOptions<T, P>,
): Promise<{ readonly done: Promise<void> }> {
  const { kube, signal } = context;
  const controller = new Controller(context, { name, workers, rateLimiter });
  const enqueue = (object: P) => {
    if (plan(object)) controller.enqueue(object.metadata.name);
  };
  view.addHandler(
    { onAdd: enqueue, onUpdate: (_old, object) => enqueue(object), onDelete: ({ metadata }) => controller.queue.forget(metadata.name) },
    { resyncMs, name: handler },
  );
  if (!(await waitForCacheSync([view], signal))) return { done: Promise.resolve() };
  const reconcile = async (key: string, workSignal: AbortSignal) => {
    const object = view.get(key);
    const planned = object && plan(object);
    if (!planned) return done;
    const { patch, subresource } = planned;
    const options = { ...apiCallOptions(workSignal), ...(subresource && { subresource }) };
    await ignoreNotFound(kube.patch(resource, { name: key }, patch, options));
    return done;
  };
  return { done: controller.run(reconcile, signal) };
}
