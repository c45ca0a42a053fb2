import { type KubeObject, type Patch, strategicMergePatch } from "@csi-sidecars/kube";

/** An object with finalizers, as caches hold it. */
interface Finalizable {
  readonly metadata: { readonly uid: string; readonly finalizers?: readonly string[] };
}

export function hasFinalizer({ metadata }: Pick<Finalizable, "metadata">, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Finalizers are patched by strategic merge: such a patch names the one finalizer that is ours, so the changes that others made to the
 * list since it was cached stay, nothing is added twice and nothing fails because the list changed. The patch names the object's uid,
 * because names are reused and what was decided for one object must never be written to its successor.
 */
export function addFinalizerPatch({ metadata }: Finalizable, finalizer: string): Patch {
  return strategicMergePatch({ metadata: { uid: metadata.uid, ...finalizerPatchMetadata({ metadata }, finalizer) } });
}

export function removeFinalizerPatch({ metadata }: Finalizable, finalizer: string): Patch {
  return strategicMergePatch({ metadata: { uid: metadata.uid, "$deleteFromPrimitiveList/finalizers": [finalizer] } });
}

/** The metadata of a strategic merge patch that appends the finalizer, for patches that change more than that. */
export function finalizerPatchMetadata({ metadata }: Finalizable, finalizer: string): object {
  return { finalizers: [finalizer], "$setElementOrder/finalizers": [...(metadata.finalizers ?? []), finalizer] };
}

/** For `readAndUpdate`: the object with the finalizer; `undefined` if it has it. */
export function withFinalizer<T extends KubeObject>(object: T, finalizer: string): T | undefined {
  const finalizers = object.metadata?.finalizers ?? [];
  if (finalizers.includes(finalizer)) return undefined;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

/** For `readAndUpdate`: the object without the finalizer; `undefined` if it does not have it. */
export function withoutFinalizer<T extends KubeObject>(object: T, finalizer: string): T | undefined {
  const finalizers = object.metadata?.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return undefined;
  return { ...object, metadata: { ...object.metadata, finalizers: finalizers.filter((each) => each !== finalizer) } };
}
