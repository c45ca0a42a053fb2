import { type CallOptions, type Client, isConflict, type KubeObject, type ObjectRef, type Resource } from "@csi-sidecars/kube";

const attempts = 4;

/**
 * Changes an object that only whole may be written: reads it fresh, writes what was read with the change, and begins anew when
 * somebody else was faster. `change` answers `undefined` where nothing is to be done; the object as it is now is the answer.
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

/** The same, beginning with what was just read. */
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
      if (!isConflict(error) || attempt === attempts) throw error;
      const { name = "", namespace } = fresh.metadata ?? {};
      fresh = await client.get(resource, { name, namespace }, options);
    }
  }
}

/** The object with the finalizer; `undefined` if it has it. */
export function withFinalizer<T extends KubeObject>(object: T, finalizer: string): T | undefined {
  const finalizers = object.metadata?.finalizers ?? [];
  if (finalizers.includes(finalizer)) return undefined;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

/** The object without the finalizer; `undefined` if it does not have it. */
export function withoutFinalizer<T extends KubeObject>(object: T, finalizer: string): T | undefined {
  const finalizers = object.metadata?.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return undefined;
  return { ...object, metadata: { ...object.metadata, finalizers: finalizers.filter((each) => each !== finalizer) } };
}
