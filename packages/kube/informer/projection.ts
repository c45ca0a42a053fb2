import type { KubeObject } from "../object.ts";
import { type FieldTree, isList } from "./field-tree.ts";
import type { Cached, Identity } from "./fields.ts";
import { type Draft, type Json, keepParts, pooledString } from "./keep.ts";

/** Reduces a parsed object to what is cached. The object itself is left as it is. */
export type Projector = (object: KubeObject) => Cached;

const handledInBody: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
const handledInMeta: ReadonlySet<string> = new Set(["name", "namespace", "uid", "resourceVersion", "managedFields"]);

/**
 * Compiles a field tree. Fields are set in one order, so that equally filled objects share a hidden class; equal strings and
 * equal small values of one field are one value in memory. What an object does not have, its projection does not have either.
 */
export function projector(tree: FieldTree, options: { readonly freeze?: boolean } = {}): Projector {
  const namespaces = pooledString();
  const metaTree = tree === true ? true : isList(tree) ? undefined : tree.metadata;
  const fillMeta = metaTree && keepParts(metaTree, handledInMeta);
  const fillBody = keepParts(tree, handledInBody);
  return (object) => {
    const from = (object.metadata ?? {}) as Json;
    const metadata: Draft = {};
    metadata.name = from.name ?? "";
    if (from.namespace !== undefined) metadata.namespace = namespaces(from.namespace);
    metadata.uid = from.uid ?? "";
    metadata.resourceVersion = from.resourceVersion ?? "";
    fillMeta?.(from, metadata);
    const cached: Draft = { metadata };
    fillBody(object as Json, cached);
    if (options.freeze) deepFreeze(cached);
    return cached as { metadata: Identity };
  };
}

function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
}
