import { ownValue, stringifyExactJson } from "@csi-sidecars/base";
import { deepEqual, isObject, type JsonObject } from "../json.ts";
import { type FieldSet, fieldSet, isNothing, minus, nothing } from "./managed-fields.ts";
import { leaf, type MergeShape } from "./merge-shape.ts";

const whole: FieldSet = { own: true, members: new Map() };

/** The fields that a value sets. */
export function fieldsOf(value: unknown, shape: MergeShape): FieldSet {
  const parts = partsOf(value, shape);
  if (!parts || (isObject(value) && parts.length === 0)) return whole;
  const owned = parts.map(({ name, value: inner, shape: below, item }) => {
    const set = fieldsOf(inner, below);
    return [name, item ? { ...set, own: true } : set] as const;
  });
  return fieldSet(false, owned);
}

/** The fields that are new or different in `after`. A new value is owned as a whole too. */
export function changedFields(before: unknown, after: unknown, shape: MergeShape): FieldSet {
  const parts = partsOf(after, shape);
  const old = partsOf(before, shape);
  if (!parts || !old) return deepEqual(before, after) ? nothing : before === undefined && parts ? added(after, shape) : whole;
  const known = new Map(old.map((part) => [part.name, part.value]));
  return fieldSet(
    false,
    parts.map(({ name, value, shape: below }) => [
      name,
      known.has(name) ? changedFields(known.get(name), value, below) : added(value, below),
    ]),
  );
}

const added = (value: unknown, shape: MergeShape): FieldSet => {
  const parts = partsOf(value, shape);
  return parts
    ? fieldSet(
        true,
        parts.map((part) => [part.name, added(part.value, part.shape)]),
      )
    : whole;
};

/** The fields that are in `before` and no longer in `after`. */
export const removedFields = (before: unknown, after: unknown, shape: MergeShape): FieldSet =>
  minus(fieldsOf(before, shape), fieldsOf(after, shape));

/** One member of a value that is owned in parts. */
interface Part {
  /** As `fieldsV1` names it. */
  readonly name: string;
  readonly value: unknown;
  readonly shape: MergeShape;
  /** Items of lists and members of maps are themselves owned, fields of structs are not. */
  readonly item: boolean;
}

/** The parts in which a value is owned; `undefined` when only as a whole. */
function partsOf(value: unknown, shape: MergeShape): readonly Part[] | undefined {
  switch (shape.is) {
    case "leaf":
      return undefined;
    case "struct":
      if (!isObject(value)) return undefined;
      return entriesOf(value).map(([name, inner]) => ({
        name: `f:${name}`,
        value: inner,
        shape: shape.fields.get(name) ?? leaf,
        item: false,
      }));
    case "map":
      if (!isObject(value)) return undefined;
      return entriesOf(value).map(([name, inner]) => ({ name: `f:${name}`, value: inner, shape: shape.values, item: true }));
    case "set":
      if (!Array.isArray(value)) return undefined;
      return value.map((item) => ({ name: `v:${stringifyExactJson(item)}`, value: item, shape: leaf, item: true }));
    case "keyed":
      if (!Array.isArray(value)) return undefined;
      return value.map((item) => ({ name: keyName(item, shape), value: item, shape: shape.items, item: true }));
  }
}

const entriesOf = (object: JsonObject): readonly (readonly [string, unknown])[] =>
  Object.entries(object).filter(([, value]) => value !== undefined && value !== null);

function keyName(item: unknown, { keys, defaults }: Extract<MergeShape, { is: "keyed" }>): string {
  const given = isObject(item) ? item : {};
  const pairs = [...keys].sort().flatMap((key) => {
    const value = ownValue(given, key) ?? ownValue(defaults, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return `k:${stringifyExactJson(Object.fromEntries(pairs))}`;
}

/** The live value with the applied one merged into it. */
export function merged(live: unknown, applied: unknown, shape: MergeShape): unknown {
  const over = partsOf(applied, shape);
  const under = partsOf(live, shape);
  if (!over || !under) return applied;
  const below = new Map(under.map((part) => [part.name, part.value]));
  const value = ({ name, value: inner, shape: inside }: Part) => (below.has(name) ? merged(below.get(name), inner, inside) : inner);
  if (isObject(live)) return { ...live, ...Object.fromEntries(over.map((part) => [part.name.slice(2), value(part)])) };
  return inOrder(under, over).map((part) => (over.includes(part) ? value(part) : part.value));
}

/** The items of both lists: those applied in their order, the others in theirs, each before what it stood before. */
function inOrder(under: readonly Part[], over: readonly Part[]): readonly Part[] {
  const applied = new Set(over.map(({ name }) => name));
  const result: Part[] = [];
  const rest = [...over];
  for (const part of under) {
    if (!applied.has(part.name)) {
      result.push(part);
      continue;
    }
    const until = rest.findIndex(({ name }) => name === part.name);
    if (until >= 0) result.push(...rest.splice(0, until + 1));
  }
  return [...result, ...rest];
}

/** A value without the fields of a set; items and objects in which others own something stay. `undefined` when nothing is left. */
export function without(value: unknown, set: FieldSet, others: FieldSet, shape: MergeShape): unknown {
  const parts = partsOf(value, shape);
  if (!parts || isNothing(set)) return set.own && isNothing(others) ? undefined : value;
  const kept = parts.flatMap(({ name, value: inner, shape: below }) => {
    const gone = set.members.get(name) ?? nothing;
    const held = others.members.get(name) ?? nothing;
    const left = gone.own && isNothing(held) ? undefined : without(inner, gone, held, below);
    return left === undefined ? [] : [[name, left] as const];
  });
  if (kept.length === 0 && parts.length > 0) return undefined;
  return isObject(value) ? Object.fromEntries(kept.map(([name, inner]) => [name.slice(2), inner])) : kept.map(([, inner]) => inner);
}
