import { ownValue } from "@csi-sidecars/base";
import { type FieldError, invalidValue, notSupported, requiredValue, tooLong, tooMany, typeInvalid } from "../field-error.ts";
import { deepEqual, isObject, type JsonObject } from "../json.ts";
import { memberSchema, type Schema } from "./structural-schema.ts";

/** The path of a value: its field, and its name in the message, which omits the root of a status write. */
export interface Place {
  readonly field: string;
  readonly body: string;
  /** What is being validated as a whole: nothing for an object, `status` for its status. */
  readonly root: string;
}

export const within = ({ field, body, root }: Place, name: string): Place => ({
  field: joined(field, name),
  body: joined(body, name),
  root,
});
export const item = ({ field, body, root }: Place, i: number): Place => ({ field: `${field}[${i}]`, body: `${body}[${i}]`, root });
const joined = (parent: string, name: string) => (parent === "" ? name : `${parent}.${name}`);

/** Violations of the schema. Unchanged values are not validated. */
export function schemaErrors(value: unknown, schema: Schema, place: Place, old?: unknown): FieldError[] {
  if (old !== undefined && deepEqual(value, old)) return [];
  if (value === null && schema.nullable === true) return [];
  const wrongType = typeErrors(value, schema, place);
  if (wrongType.length > 0) return wrongType;
  return [...enumErrors(value, schema, place), ...shapeErrors(value, schema, place, old)];
}

function shapeErrors(value: unknown, schema: Schema, place: Place, old: unknown): FieldError[] {
  if (typeof value === "string") return stringErrors(value, schema, place);
  if (typeof value === "number" || typeof value === "bigint") return numberErrors(value, schema, place);
  if (Array.isArray(value)) return arrayErrors(value, schema, place, old);
  return isObject(value) ? objectErrors(value, schema, place, old) : [];
}

function typeErrors(value: unknown, schema: Schema, place: Place): FieldError[] {
  const found = typeName(value);
  const wanted = schema["x-kubernetes-int-or-string"] ? ["integer", "string"] : schema.type ? [schema.type] : [];
  if (wanted.length === 0 || wanted.includes(found) || (found === "integer" && wanted.includes("number"))) return [];
  const byFormat = schema.format !== undefined && typeof value !== "string";
  const shown = byFormat ? formatOf(found) : found === "number" ? "float64" : found;
  const type = byFormat ? schema.format : wanted.join(",");
  const error = typeInvalid(place.field, shown, `${place.body} in body must be of type ${type}: "${shown}"`);
  return found === "number" && schema.format && !isInt64(value) ? [error, formatError(schema.format, place)] : [error];
}

/** The format that the server sees in a value, where the schema asks for one. */
const formatOf = (type: string): string => (type === "integer" ? "int64" : type === "number" ? "float64" : "");

/** Whether a number that the server decodes as a float is an integer of 64 bits all the same. */
const isInt64 = (value: unknown): boolean => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 63;

function formatError(format: string, { root, body }: Place): FieldError {
  return invalidValue(root || "<nil>", "", `Checked value must be of type integer with format ${format} in ${body}`);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  return typeof value;
}

function enumErrors(value: unknown, schema: Schema, place: Place): FieldError[] {
  if (!schema.enum || schema.enum.some((choice) => deepEqual(choice, value))) return [];
  return [notSupported(place.field, value, schema.enum.map(String))];
}

function stringErrors(value: string, schema: Schema, place: Place): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.maxLength !== undefined && [...value].length > schema.maxLength) return [tooLong(place.field, schema.maxLength)];
  if (schema.minLength !== undefined && [...value].length < schema.minLength) {
    return [invalidValue(place.field, value, `${place.body} in body should be at least ${schema.minLength} chars long`)];
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value)) {
    errors.push(invalidValue(place.field, value, `${place.body} in body should match '${schema.pattern}'`));
  }
  if (schema.format === "date-time" && !isDateTime(value)) {
    errors.push(typeInvalid(place.field, value, `${place.body} in body must be of type date-time: "${value}"`));
  }
  return errors;
}

const isDateTime = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text));

function numberErrors(value: number | bigint, schema: Schema, place: Place): FieldError[] {
  const errors: FieldError[] = [];
  const complain = (text: string) => errors.push(invalidValue(place.field, value, `${place.body} in body should be ${text}`));
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    complain(`greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    complain(`less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`);
  }
  if (schema.format === "int32" && (value > 2 ** 31 - 1 || value < -(2 ** 31))) {
    errors.push(formatError("int32", place));
  }
  return errors;
}

function arrayErrors(value: readonly unknown[], schema: Schema, place: Place, old: unknown): FieldError[] {
  const { items, minItems, maxItems } = schema;
  const errors: FieldError[] = [];
  if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(place.field, value.length, maxItems));
  if (minItems !== undefined && value.length < minItems) {
    errors.push(invalidValue(place.field, value.length, `${place.body} in body should have at least ${minItems} items`));
  }
  const before = Array.isArray(old) ? old : [];
  return items ? [...errors, ...value.flatMap((one, i) => schemaErrors(one, items, item(place, i), before[i]))] : errors;
}

function objectErrors(value: JsonObject, schema: Schema, place: Place, old: unknown): FieldError[] {
  const { maxProperties, minProperties } = schema;
  const count = Object.keys(value).length;
  const errors: FieldError[] = [];
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(place.field, count, maxProperties));
  if (minProperties !== undefined && count < minProperties) {
    errors.push(invalidValue(place.field, count, `${place.body} in body should have at least ${minProperties} properties`));
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) errors.push(requiredValue(within(place, name).field));
  }
  const before = isObject(old) ? old : {};
  const inner = Object.entries(value).flatMap(([name, member]) => {
    const declared = memberSchema(schema, name);
    return declared ? schemaErrors(member, declared, within(place, name), ownValue(before, name)) : [];
  });
  return [...errors, ...inner];
}
