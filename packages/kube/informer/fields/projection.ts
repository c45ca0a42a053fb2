import { dictionary } from "@csi-sidecars/base";
import type { KubeObject } from "../../object.ts";
import { type Draft, fieldsCopier, type Json, stringInterner } from "./field-copier.ts";
import { type FieldTree, isList } from "./field-tree.ts";
import type { Cached, FieldSet, ObjectIdentity } from "./fields.ts";
import { sharedString } from "./shared-string.ts";

/** Reduces a parsed object to what is cached. The object itself is not changed. */
export type Projector = (object: KubeObject) => Cached;

const handledInBody: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
const handledInMeta: ReadonlySet<string> = new Set(["name", "namespace", "uid", "resourceVersion", "managedFields"]);

/**
 * Compiles a field tree. Fields are set in a fixed order, so that objects with the same fields share a hidden class; equal
 * strings and equal small values of one field are interned. Fields that an object lacks, its projection lacks too.
 */
export function projector(tree: FieldTree, options: { readonly freeze?: boolean } = {}): Projector {
  const namespaces = stringInterner();
  const metaTree = tree === true ? true : isList(tree) ? undefined : tree.metadata;
  const copyMeta = metaTree && fieldsCopier(metaTree, handledInMeta);
  const copyBody = fieldsCopier(tree, handledInBody);
  return (object) => {
    const from = (object.metadata ?? {}) as Json;
    const metadata: Draft = dictionary();
    metadata.name = shared(from.name);
    if (from.namespace !== undefined) metadata.namespace = namespaces(from.namespace);
    metadata.uid = shared(from.uid);
    metadata.resourceVersion = from.resourceVersion ?? "";
    copyMeta?.(from, metadata);
    const cached: Draft = dictionary();
    cached.metadata = metadata;
    copyBody(object as Json, cached);
    if (options.freeze) deepFreeze(cached);
    return cached as object as { metadata: ObjectIdentity };
  };
}

/** Other objects refer to this one by its name and its uid. */
function shared(identity: unknown): string {
  return typeof identity === "string" ? sharedString(identity) : "";
}

/** Reduces objects that the API server sent to what a cache of these fields holds. */
export function projectorFor<T extends KubeObject, P extends Cached>({ tree }: FieldSet<T, P>): (object: KubeObject) => P {
  return projector(tree) as (object: KubeObject) => P;
}

function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
}
