import { ownValue } from "@csi-sidecars/base";
import { type JsonPatchOperation, jsonPatch, mergePatch, type Patch } from "@csi-sidecars/kube";

// Patches of kinds that a CustomResourceDefinition defines, for `patchNewest`. What kube-apiserver 1.36 does with them was tried:
// - It refuses strategic merge patches with 415: finalizers cannot be changed one by one as those of built-in kinds can.
// - A merge patch of the object with another object's `metadata.uid` is refused with 422 (`field is immutable`), one with an old
//   `metadata.resourceVersion` with 409.
// - A merge patch of the status ignores all metadata but `resourceVersion`: with another object's uid it is accepted, so what was meant for a
//   deleted object would reach its successor. Annotations and finalizers in it are dropped without a word.
// - A JSON patch is applied to the whole object before that, also for the status: a `test` of `/metadata/uid` holds everywhere. A `test` with
//   `null` holds for what is absent. `remove` of what is absent, and `add` below what is absent, are refused, all of them with 422 and the same
//   text ("the server rejected our request due to an error in our request"), so the object has to be read to find out which it was.
// - A patch that changes nothing is accepted, and makes no new version and no watch event.

interface Identified {
  readonly metadata: { readonly uid: string };
}

interface Annotated {
  readonly metadata: { readonly uid: string; readonly annotations?: Readonly<Record<string, string | undefined>> };
}

/** Sets annotations, or removes those with `null`; those of others stay. `undefined` where the object has them so already. */
export function annotationsPatch({ metadata }: Annotated, wanted: Readonly<Record<string, string | null>>): Patch | undefined {
  const changed = Object.entries(wanted).filter(([key, value]) => (ownValue(metadata.annotations ?? {}, key) ?? null) !== value);
  return changed.length === 0 ? undefined : mergePatch({ metadata: { uid: metadata.uid, annotations: Object.fromEntries(changed) } });
}

interface Finalizable {
  readonly metadata: { readonly uid: string; readonly finalizers?: readonly string[]; readonly deletionTimestamp?: string };
}

export interface FinalizerChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/**
 * Adds and removes finalizers. The patch replaces the list and names the one that it was planned for, so one that somebody else changes
 * meanwhile is never overwritten. None is added to an object that is being deleted: the API server refuses that. `undefined` where nothing
 * changes.
 */
export function finalizersPatch({ metadata }: Finalizable, { add = [], remove = [] }: FinalizerChange): Patch | undefined {
  const old = metadata.finalizers ?? [];
  const kept = old.filter((finalizer) => !remove.includes(finalizer));
  const added = metadata.deletionTimestamp === undefined ? add.filter((finalizer) => !old.includes(finalizer)) : [];
  if (kept.length === old.length && added.length === 0) return undefined;
  const wanted = [...kept, ...added];
  const path = "/metadata/finalizers";
  return jsonPatch([
    sameObject({ metadata }),
    { op: "test", path, value: old.length === 0 ? null : old },
    wanted.length === 0 ? { op: "remove", path } : { op: "add", path, value: wanted },
  ]);
}

/**
 * Sets annotations as `annotationsPatch` does, and a finalizer in the same write if the object has it not: what they announce is not overtaken by its
 * end. One that is being deleted cannot get it.
 */
export function holdingPatch(
  object: Annotated & { readonly metadata: Finalizable["metadata"] & { readonly resourceVersion: string } },
  finalizer: string,
  wanted: Readonly<Record<string, string>>,
): Patch | undefined {
  const { uid, resourceVersion, finalizers = [], deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined || finalizers.includes(finalizer)) return annotationsPatch(object, wanted);
  // The list is replaced: the version tells whether somebody else has changed it.
  return mergePatch({ metadata: { uid, resourceVersion, annotations: wanted, finalizers: [...finalizers, finalizer] } });
}

/**
 * Sets the named fields of the status, and removes those that are `undefined`; the other ones stay. A status that was absent is there after
 * that, if only empty. For the subresource. Values are not compared: name only those that change. `undefined` where none is named.
 */
export function statusPatch<S extends object>(
  { metadata, status }: Identified & { readonly status?: Readonly<S> },
  changes: { readonly [K in keyof S]?: S[K] | undefined },
): Patch | undefined {
  const set = Object.entries(changes).filter(([, value]) => value !== undefined);
  if (!status) {
    if (Object.keys(changes).length === 0) return undefined;
    return jsonPatch([sameObject({ metadata }), { op: "test", path: "/status", value: null }, addition("", Object.fromEntries(set))]);
  }
  const removals = Object.keys(changes).filter((field) => !set.some(([name]) => name === field) && Object.hasOwn(status, field));
  if (set.length + removals.length === 0) return undefined;
  return jsonPatch([
    sameObject({ metadata }),
    ...set.map(([field, value]) => addition(`/${field}`, value)),
    ...removals.map((field): JsonPatchOperation => ({ op: "remove", path: `/status/${field}` })),
  ]);
}

const addition = (path: string, value: unknown): JsonPatchOperation => ({ op: "add", path: `/status${path}`, value });

/** Names are reused: what was decided for one object must never be written to its successor. */
function sameObject({ metadata }: Identified): JsonPatchOperation {
  return { op: "test", path: "/metadata/uid", value: metadata.uid };
}
