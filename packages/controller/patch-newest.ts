import { isDeepStrictEqual } from "node:util";
import {
  type Cached,
  type CallOptions,
  type Client,
  ignoreNotFound,
  isConflict,
  isInvalid,
  isNotFound,
  type KubeObject,
  keyOf,
  MootRequestError,
  type Patch,
  type Resource,
} from "@csi-sidecars/kube";
import { type AssumeCache, isLaterVersion } from "./assume-cache.ts";

/** Where objects of one kind are read and written. */
export interface PatchTarget<T extends KubeObject, P extends Cached> {
  readonly kube: Pick<Client, "get" | "patch">;
  readonly resource: Resource<T>;
  readonly cache: Pick<AssumeCache<P>, "get" | "write">;
  readonly project: (object: KubeObject) => P;
}

export interface PatchOptions extends CallOptions {
  readonly subresource?: "status";
}

/** How often a patch is planned anew for an object that others change at the same time, before it fails. */
const maxAttempts = 5;

/**
 * Patches an object from its newest known state, without reading it first. `plan` returns `undefined` where that state wants no change. A
 * patch that the watch overtakes while it waits to be sent is planned again for what the watch shows, and one that the server refuses
 * because somebody else wrote meanwhile (409, or 422 where a `test` of a JSON patch fails) for what the server has. Returns the object as it
 * is then; `undefined` if it is gone, even if another one has its name.
 *
 * ```ts
 * const content = await patchNewest(contents, cached, (newest) => annotationsPatch(newest, { [beingCreated]: "yes" }), apiCallOptions(signal));
 * ```
 */
export async function patchNewest<T extends KubeObject, P extends Cached>(
  { kube, resource, cache, project }: PatchTarget<T, P>,
  object: P,
  plan: (newest: P) => Patch | undefined,
  options: PatchOptions,
): Promise<P | undefined> {
  const { name, namespace, uid } = object.metadata;
  const ref = { name, namespace };
  const key = keyOf(object);
  let newest = newestOf(object, cache.get(key));
  let refused: Patch | undefined;
  for (let attempt = 1; ; attempt++) {
    if (newest.metadata.uid !== uid) return undefined;
    const patch = plan(newest);
    if (!patch) return newest;
    const shown = cache.get(key);
    const isMoot = () => {
      const now = cache.get(key);
      if (now === shown) return false;
      return now?.metadata.uid !== uid || !isDeepStrictEqual(plan(newestOf(newest, now)), patch);
    };
    try {
      return await cache.write(key, () => kube.patch(resource, ref, patch, { ...options, isMoot }), replacedBy(patch));
    } catch (error) {
      if (error instanceof MootRequestError) {
        const now = cache.get(key);
        if (!now) return undefined;
        newest = newestOf(newest, now);
        continue;
      }
      if (isNotFound(error)) return undefined;
      // The same patch for what the server has: it was not refused for having been planned for something else.
      const isUseless = attempt >= maxAttempts || isDeepStrictEqual(refused, patch);
      if (isUseless || !(isConflict(error) || isInvalid(error))) throw error;
      refused = patch;
    }
    const { subresource: _, ...readOptions } = options;
    const read = await ignoreNotFound(kube.get(resource, ref, readOptions));
    if (!read) return undefined;
    newest = project(read);
  }
}

/** The only version that the API server applies a patch to, if it names one. */
function replacedBy({ body }: Patch): string | undefined {
  return (body as { readonly metadata?: { readonly resourceVersion?: string } }).metadata?.resourceVersion;
}

/** An object that was read because of a conflict is ahead of the watch. */
function newestOf<P extends Cached>(object: P, cached: P | undefined): P {
  if (!cached) return object;
  const isAhead = isLaterVersion(object.metadata.resourceVersion, cached.metadata.resourceVersion);
  return isAhead && object.metadata.uid === cached.metadata.uid ? object : cached;
}
