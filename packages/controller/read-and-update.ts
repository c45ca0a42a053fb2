import { type CallOptions, type Client, isConflict, type KubeObject, type ObjectRef, type Resource } from "@csi-sidecars/kube";

const maxAttempts = 4;

/**
 * For kinds on which the role grants `update` and not `patch`: reads the object, updates what was read with the change, and starts over
 * on a conflict. `change` returns `undefined` where nothing is to be done. Returns the object as it is now.
 *
 * ```ts
 * await readAndUpdate(kube, PersistentVolumeClaim, ref, (claim) => withFinalizer(claim, finalizer), apiCallOptions(signal));
 * ```
 */
export async function readAndUpdate<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  ref: ObjectRef,
  change: (fresh: T) => T | undefined,
  options: CallOptions,
): Promise<T> {
  return updateFrom(client, resource, await client.get(resource, ref, options), change, options);
}

/** The same for an object that was just read. */
export async function updateFrom<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  read: T,
  change: (fresh: T) => T | undefined,
  options: CallOptions,
): Promise<T> {
  let fresh = read;
  for (let attempt = 1; ; attempt++) {
    const changed = change(fresh);
    if (!changed) return fresh;
    try {
      return await client.update(resource, changed, options);
    } catch (error) {
      if (!isConflict(error) || attempt === maxAttempts) throw error;
      const { name = "", namespace } = fresh.metadata ?? {};
      fresh = await client.get(resource, { name, namespace }, options);
    }
  }
}
