import { isRecord } from "@csi-sidecars/base";
import { type FieldTree, isList } from "./field-tree.ts";
import { ValuePool } from "./value-pool.ts";

/** Makes the kept form of one field's value. Each has memory of its own: what repeats is learned per field. */
export type Keep = (value: unknown) => unknown;
export type Json = Readonly<Record<string, unknown>>;
export type Draft = Record<string, unknown>;

const longestPooledString = 128;
const longestPooledValue = 1024;
/** Maps with more keys than this (free annotations) are not learned key by key. */
const maxLearnedFields = 64;

function keepTree(tree: FieldTree): Keep {
  if (tree === true) return keepWhole();
  if (isList(tree)) {
    const keepElement = keepTree(tree[0]);
    return shared((value) => (Array.isArray(value) ? value.map(keepElement) : undefined));
  }
  const fill = keepParts(tree);
  return shared((value) => {
    if (!isRecord(value)) return undefined;
    const kept: Draft = {};
    fill(value, kept);
    return kept;
  });
}

/** Copies the fields a tree names from one object into another, but for those the caller handles itself. */
export function keepParts(tree: FieldTree, handled: ReadonlySet<string> = new Set()): (from: Json, to: Draft) => void {
  if (tree === true) {
    const keep = learnedFields();
    return (from, to) => {
      for (const field in from) if (!handled.has(field)) to[field] = keep(field, from[field]);
    };
  }
  const parts = Object.entries(tree).flatMap(([field, sub]) => (handled.has(field) ? [] : [{ field, keep: keepTree(sub) }]));
  return (from, to) => {
    for (const { field, keep } of parts) {
      const value = from[field];
      if (value === undefined || value === null) continue;
      const kept = keep(value);
      if (kept !== undefined) to[field] = kept;
    }
  };
}

export function pooledString(): Keep {
  const pool = new ValuePool<string>();
  return (value) => {
    if (typeof value !== "string" || !pool.open || value.length > longestPooledString) return value;
    return pool.get(value) ?? pool.put(value, value);
  };
}

/** A value of unknown form, all of it. */
function keepWhole(): Keep {
  const string = pooledString();
  let compound: Keep | undefined;
  return (value) => {
    if (typeof value === "string") return string(value);
    if (typeof value !== "object" || value === null) return value;
    compound ??= keepCompound();
    return compound(value);
  };
}

/** The pool is asked before anything is made: equal JSON becomes an equal value. */
function keepCompound(): Keep {
  const field = learnedFields();
  const element = keepWhole();
  const pool = new ValuePool<unknown>();
  const make = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(element);
    if (!isRecord(value)) return value;
    const kept: Draft = {};
    for (const key in value) kept[key] = field(key, value[key]);
    return kept;
  };
  return (value) => (pool.open ? pooled(pool, value, make) : make(value));
}

function learnedFields(): (field: string, value: unknown) => unknown {
  const known = new Map<string, Keep>();
  return (field, value) => {
    let keep = known.get(field);
    if (!keep) {
      if (known.size >= maxLearnedFields) return copy(value);
      keep = keepWhole();
      known.set(field, keep);
    }
    return keep(value);
  };
}

/** The same, but equal results are one and the same object, as long as this field's values prove to repeat. */
function shared(make: Keep): Keep {
  const pool = new ValuePool<unknown>();
  return (value) => {
    const made = make(value);
    return pool.open && made !== undefined ? pooled(pool, made, (same) => same) : made;
  };
}

function pooled(pool: ValuePool<unknown>, value: unknown, make: Keep): unknown {
  const key = JSON.stringify(value);
  if (key.length <= longestPooledValue) return pool.get(key) ?? pool.put(key, make(value));
  pool.miss();
  return make(value);
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isRecord(value)) return value;
  const copied: Draft = {};
  for (const key in value) copied[key] = copy(value[key]);
  return copied;
}
