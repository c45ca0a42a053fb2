import { arrayAt, at, isObject, type JsonObject } from "../json.ts";

/** The part of a structural OpenAPI v3 schema that decides something here. */
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

/** The schema of one version of a definition; without one, everything is let through. */
export function schemaOf(version: unknown): Schema {
  const found = at(version, "schema", "openAPIV3Schema");
  return isSchema(found) ? found : { type: "object", "x-kubernetes-preserve-unknown-fields": true };
}

function isSchema(value: unknown): value is Schema & JsonObject {
  return isObject(value);
}

/** The schema of a member: declared, or that of every member. */
export function memberSchema(schema: Schema, name: string): Schema | undefined {
  const declared = schema.properties?.[name];
  if (declared) return declared;
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** Whether any value below may carry a CEL rule. */
export function hasRules(schema: Schema): boolean {
  if (arrayAt(schema, "x-kubernetes-validations").length > 0) return true;
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return inner.some((child) => typeof child === "object" && hasRules(child));
}
