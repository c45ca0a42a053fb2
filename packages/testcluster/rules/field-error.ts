import { stringifyExactJson } from "@csi-sidecars/base";
import { isObject } from "./json.ts";

/** One field error of a 422 response. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  readonly field: string;
  /** `Invalid value: "x": must be ...` */
  readonly message: string;
}

type FieldErrorReason =
  | "FieldValueInvalid"
  | "FieldValueRequired"
  | "FieldValueForbidden"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueNotFound"
  | "FieldValueTypeInvalid"
  | "FieldValueTooLong"
  | "FieldValueTooMany";

const withDetail = (text: string, detail: string) => (detail === "" ? text : `${text}: ${detail}`);

/** `detail` says what is valid. */
export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: withDetail(`Invalid value: ${shown(value)}`, detail),
});

export const requiredValue = (field: string, detail = ""): FieldError => ({
  reason: "FieldValueRequired",
  field,
  message: withDetail("Required value", detail),
});

export const forbiddenField = (field: string, detail: string): FieldError => ({
  reason: "FieldValueForbidden",
  field,
  message: withDetail("Forbidden", detail),
});

/** The allowed values are listed sorted by the caller's order. */
export const notSupported = (field: string, value: unknown, allowed: readonly string[]): FieldError => ({
  reason: "FieldValueNotSupported",
  field,
  message: withDetail(
    `Unsupported value: ${shown(value)}`,
    allowed.length === 0 ? "" : `supported values: ${allowed.map(quoted).join(", ")}`,
  ),
});

export const duplicateValue = (field: string, value: unknown): FieldError => ({
  reason: "FieldValueDuplicate",
  field,
  message: `Duplicate value: ${shown(value)}`,
});

/** What the field names is not there. */
export const notFoundValue = (field: string, value: unknown): FieldError => ({
  reason: "FieldValueNotFound",
  field,
  message: `Not found: ${shown(value)}`,
});

export const typeInvalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: "FieldValueTypeInvalid",
  field,
  message: withDetail(`Invalid value: ${shown(value)}`, detail),
});

export const tooLong = (field: string, maxBytes: number): FieldError => ({
  reason: "FieldValueTooLong",
  field,
  message: `Too long: may not be more than ${maxBytes} bytes`,
});

export const tooMany = (field: string, actual: number, most: number): FieldError => ({
  reason: "FieldValueTooMany",
  field,
  message: `Too many: ${actual}: must have at most ${most} items`,
});

/** A string as Go's `%q` writes it. */
export const quoted = (text: string): string => JSON.stringify(text);

function shown(value: unknown): string {
  return value === undefined ? "null" : stringifyExactJson(value);
}

/** A value as Go's `%v` prints it: `map[spec:map[a:1] x:[1 2]]`. */
export function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isObject(value)) return value === null || value === undefined ? "<nil>" : String(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${members.map(([name, member]) => `${name}:${goText(member)}`).join(" ")}]`;
}
