import { type Dictionary, dictionary, isRecord, ownValue, stringifyExactJson } from "@csi-sidecars/base";
import { type FieldTree, isList } from "./field-tree.ts";
import { InternPool } from "./intern-pool.ts";
import { sharedString } from "./shared-string.ts";

/** Copies one field's value for the cache. Each copier has its own pool: whether values repeat is learned per field. */
type Copier = (value: unknown) => unknown;
export type Json = Readonly<Record<string, unknown>>;
/** What is cached of an object, while it is made: keys come from users, who may call a label `constructor`. */
export type Draft = Dictionary<unknown>;

const maxInternedString = 128;
const maxInternedJson = 1024;
/** Maps with more keys than this (arbitrary annotations) get no copier per key. */
const maxFieldCopiers = 64;

function copierOf(tree: FieldTree): Copier {
  if (tree === true) return anyValueCopier();
  if (isList(tree)) {
    const copyElement = copierOf(tree[0]);
    return internedResult((value) => (Array.isArray(value) ? value.map(copyElement) : undefined));
  }
  const copyFields = fieldsCopier(tree);
  return internedResult((value) => {
    if (!isRecord(value)) return undefined;
    const copied: Draft = dictionary();
    copyFields(value, copied);
    return copied;
  });
}

/** Copies the fields a tree names from one object into another, except those the caller handles itself. */
export function fieldsCopier(tree: FieldTree, handled: ReadonlySet<string> = new Set()): (from: Json, to: Draft) => void {
  if (tree === true) {
    const copyField = copierPerField();
    return (from, to) => {
      for (const field in from) if (!handled.has(field)) to[field] = copyField(field, ownValue(from, field));
    };
  }
  const copiers = Object.entries(tree).flatMap(([field, sub]) => (handled.has(field) ? [] : [{ field, copier: copierOf(sub) }]));
  return (from, to) => {
    for (const { field, copier } of copiers) {
      const value = ownValue(from, field);
      if (value === undefined || value === null) continue;
      const copied = copier(value);
      if (copied !== undefined) to[field] = copied;
    }
  };
}

export function stringInterner(): Copier {
  const pool = new InternPool<string>();
  return (value) => {
    if (typeof value !== "string" || value.length > maxInternedString) return value;
    return pool.open ? (pool.get(value) ?? pool.put(value, value)) : sharedString(value);
  };
}

/** For all of a value of unknown form. */
function anyValueCopier(): Copier {
  const string = stringInterner();
  let compound: Copier | undefined;
  return (value) => {
    if (typeof value === "string") return string(value);
    if (typeof value !== "object" || value === null) return value;
    compound ??= compoundCopier();
    return compound(value);
  };
}

/** Looks into the pool before it copies: equal JSON becomes an equal value. */
function compoundCopier(): Copier {
  const copyField = copierPerField();
  const element = anyValueCopier();
  const pool = new InternPool<unknown>();
  const copyCompound = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(element);
    if (!isRecord(value)) return value;
    const copied: Draft = dictionary();
    for (const key in value) copied[key] = copyField(key, ownValue(value, key));
    return copied;
  };
  return (value) => (pool.open ? intern(pool, value, copyCompound) : copyCompound(value));
}

function copierPerField(): (field: string, value: unknown) => unknown {
  const copiers = new Map<string, Copier>();
  return (field, value) => {
    let copier = copiers.get(field);
    if (!copier) {
      if (copiers.size >= maxFieldCopiers) return deepCopy(value);
      copier = anyValueCopier();
      copiers.set(field, copier);
    }
    return copier(value);
  };
}

/** Interns what `copy` returns, as long as this field's values prove to repeat. */
function internedResult(copy: Copier): Copier {
  const pool = new InternPool<unknown>();
  return (value) => {
    const copied = copy(value);
    return pool.open && copied !== undefined ? intern(pool, copied, (same) => same) : copied;
  };
}

function intern(pool: InternPool<unknown>, value: unknown, copy: Copier): unknown {
  const key = stringifyExactJson(value);
  if (key.length <= maxInternedJson) return pool.get(key) ?? pool.put(key, copy(value));
  pool.miss();
  return copy(value);
}

function deepCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepCopy);
  if (!isRecord(value)) return value;
  const copied: Draft = dictionary();
  for (const key in value) copied[key] = deepCopy(ownValue(value, key));
  return copied;
}
