import { dictionary, ownValue } from "@csi-sidecars/base";

/** A JSON object. */
export type JsonObject = { [member: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Equality of JSON documents; the order of members does not count. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => deepEqual(item, b[i]));
  if (!isObject(a)) return Object.is(a, b);
  if (!isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && deepEqual(ownValue(a, key), ownValue(b, key)))
  );
}

/** Equality of typed objects: absent, null, "", {} and [] are equal. */
export function sameValue(a: unknown, b: unknown): boolean {
  return deepEqual(withoutNothing(a), withoutNothing(b));
}

function withoutNothing(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutNothing);
  if (value === null || value === "") return undefined;
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([key, member]) => {
    const rest = withoutNothing(member);
    return rest === undefined ? [] : [[key, rest] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** The member at a path of names, `undefined` where anything on the way is absent. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const name of path) here = isObject(here) ? ownValue(here, name) : undefined;
  return here;
}

/** The object at a path, an empty one where it is absent. For reading only. */
export function objectAt(value: unknown, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path);
  return isObject(found) ? found : {};
}

export function stringAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}

export function arrayAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** A map as Go writes it: its members sorted. */
export function sortedMembers(map: unknown): unknown {
  return isObject(map) ? Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))) : map;
}

/** A copy without null members: to a typed object null is the same as absent. */
export function withoutNulls(object: JsonObject): JsonObject {
  const kept = Object.entries(object).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutInnerNulls(value)]));
}

function withoutInnerNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutInnerNulls);
  return isObject(value) ? withoutNulls(value) : value;
}

/** A copy in which `value` stands at the path; `undefined` removes the member. */
export function withAt(object: JsonObject, path: readonly string[], value: unknown): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return object;
  const copy = dictionary(object);
  const inner = rest.length === 0 ? value : withAt(objectAt(object, name), rest, value);
  if (inner === undefined) delete copy[name];
  else copy[name] = inner;
  return copy;
}
