import { isObject } from "../json.ts";
import { type FieldSet, isNothing, nothing } from "./field-set.ts";
import type { MergeShape } from "./merge-shape.ts";
import { type Part, partsOf } from "./typed-fields.ts";

/** What is there with what is applied laid over it. */
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
