import { ownValue, setOwnValue } from "@csi-sidecars/base";
import type { Schema } from "../crd/structural-schema.ts";
import { isObject, type JsonObject } from "../json.ts";

/**
 * The fields that a value may have: a schema reduced to what decides about unknown fields. It is absent where nothing below a value can
 * be unknown (strings, numbers, maps of strings, free-form JSON).
 */
export type KnownFields =
  | { readonly is: "struct"; readonly fields: ReadonlyMap<string, KnownFields | undefined>; readonly open: boolean }
  | { readonly is: "map"; readonly values: KnownFields }
  | { readonly is: "list"; readonly items: KnownFields };

/** The value without unknown members; the very same value, not a copy, when there are none. */
function withoutUnknown(value: unknown, known: KnownFields): unknown {
  switch (known.is) {
    case "struct":
      return isObject(value) ? knownMembers(value, known) : value;
    case "map":
      return isObject(value) ? changedMembers(value, () => known.values) : value;
    case "list": {
      if (!Array.isArray(value)) return value;
      const items = value.map((item) => withoutUnknown(item, known.items));
      return items.every((item, i) => item === value[i]) ? value : items;
    }
  }
}

/** {@link withoutUnknown} for a whole object. */
export function knownObject(object: JsonObject, known: KnownFields): JsonObject {
  const kept = withoutUnknown(object, known);
  return isObject(kept) ? kept : object;
}

function knownMembers(object: JsonObject, { fields, open }: Extract<KnownFields, { is: "struct" }>): JsonObject {
  const all = open || Object.keys(object).every((name) => fields.has(name));
  const kept = all ? object : Object.fromEntries(Object.entries(object).filter(([name]) => fields.has(name)));
  return changedMembers(kept, (name) => fields.get(name));
}

function changedMembers(object: JsonObject, knownOf: (name: string) => KnownFields | undefined): JsonObject {
  let changed: JsonObject | undefined;
  for (const name in object) {
    const known = knownOf(name);
    if (!known) continue;
    const value = ownValue(object, name);
    const kept = withoutUnknown(value, known);
    if (kept === value) continue;
    changed ??= { ...object };
    setOwnValue(changed, name, kept);
  }
  return changed ?? object;
}

/** The paths of the unknown members, sorted: `spec.containers[0].foo`. */
export function unknownFields(value: unknown, known: KnownFields): readonly string[] {
  const found: string[] = [];
  collect(value, known, "", found);
  return found.sort();
}

function collect(value: unknown, known: KnownFields, path: string, found: string[]): void {
  if (known.is === "list") {
    if (!Array.isArray(value)) return;
    for (const [i, item] of value.entries()) collect(item, known.items, `${path}[${i}]`, found);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const inner = innerOf(known, name);
    if (inner === "unknown") found.push(joined(path, name));
    else if (inner) collect(member, inner, joined(path, name), found);
  }
}

/** What is known of a member; "unknown" when it may not be there. */
export function innerOf(known: KnownFields, name: string): KnownFields | undefined | "unknown" {
  if (known.is === "map") return known.values;
  if (known.is === "list") return undefined;
  return known.open || known.fields.has(name) ? known.fields.get(name) : "unknown";
}

export const joined = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/** The fields that the schema of a custom kind knows. Its metadata are those of every object. */
export function fieldsOfDefinition(schema: Schema, metadata: KnownFields): KnownFields {
  return resource(schema, metadata);
}

function resource(schema: Schema, metadata: KnownFields): KnownFields {
  const fields = fieldsOf(schema, metadata);
  const typed = new Map([...fields, ["apiVersion", undefined], ["kind", undefined], ["metadata", metadata]] as const);
  return { is: "struct", fields: typed, open: isOpen(schema) };
}

function knownOf(schema: Schema, metadata: KnownFields): KnownFields | undefined {
  if (schema["x-kubernetes-embedded-resource"]) return resource(schema, metadata);
  if (schema.items) {
    const items = knownOf(schema.items, metadata);
    return items && { is: "list", items };
  }
  if (typeof schema.additionalProperties === "object") {
    const values = knownOf(schema.additionalProperties, metadata);
    return values && { is: "map", values };
  }
  if (schema.type !== "object") return undefined;
  return { is: "struct", fields: fieldsOf(schema, metadata), open: isOpen(schema) };
}

const fieldsOf = (schema: Schema, metadata: KnownFields): ReadonlyMap<string, KnownFields | undefined> =>
  new Map(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, knownOf(inner, metadata)]));

const isOpen = (schema: Schema): boolean => schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true;
