import { dictionary, ownValue } from "@csi-sidecars/base";
import { arrayAt, at, isObject, type JsonObject } from "../json.ts";

/** The supported part of a structural OpenAPI v3 schema. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** A CEL rule on a value. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
}

/** The schema of one version of a definition; without one, everything is allowed. */
export function schemaOf(version: unknown): Schema {
  const found = at(version, "schema", "openAPIV3Schema");
  return isSchema(found) ? found : { type: "object", "x-kubernetes-preserve-unknown-fields": true };
}

function isSchema(value: unknown): value is Schema & JsonObject {
  return isObject(value);
}

/** The schema of a member: declared, or that of every member. */
export function memberSchema(schema: Schema, name: string): Schema | undefined {
  const declared = ownValue(schema.properties, name);
  if (declared) return declared;
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** Whether any value below may carry a CEL rule. */
export function hasRules(schema: Schema): boolean {
  if (arrayAt(schema, "x-kubernetes-validations").length > 0) return true;
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return inner.some((child) => typeof child === "object" && hasRules(child));
}

const typeMembers = ["apiVersion", "kind", "metadata"];

/** Pruning: the object without the fields that its schema does not have. `kind`, `apiVersion` and `metadata` of the object itself stay. */
export function pruned(object: JsonObject, schema: Schema): JsonObject {
  return pruneObject(object, schema, true);
}

function pruneValue(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => pruneValue(item, items)) : value;
  }
  return isObject(value) ? pruneObject(value, schema, schema["x-kubernetes-embedded-resource"] === true) : value;
}

function pruneObject(object: JsonObject, schema: Schema, isResource: boolean): JsonObject {
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true;
  const kept = Object.entries(object).flatMap(([name, value]) => {
    if (isResource && typeMembers.includes(name)) return [[name, value] as const];
    const inner = memberSchema(schema, name);
    if (inner) return [[name, pruneValue(value, inner)] as const];
    return keepsUnknown ? [[name, value] as const] : [];
  });
  return Object.fromEntries(kept);
}

/** Defaulting: the object with its schema's defaults. A null in a field that is not nullable counts as absent. */
export function defaulted(object: JsonObject, schema: Schema): JsonObject {
  const result = dictionary<unknown>();
  for (const [name, value] of Object.entries(object)) {
    const inner = memberSchema(schema, name);
    if (value === null && inner && inner.nullable !== true) continue;
    result[name] = inner ? defaultedValue(value, inner) : value;
  }
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(result, name) && inner.default !== undefined) result[name] = defaultedValue(structuredClone(inner.default), inner);
  }
  return result;
}

function defaultedValue(value: unknown, schema: Schema): unknown {
  const { items } = schema;
  if (Array.isArray(value)) return items ? value.map((item) => defaultedValue(item, items)) : value;
  return isObject(value) ? defaulted(value, schema) : value;
}
