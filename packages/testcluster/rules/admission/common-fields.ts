import { canonicalQuantity, canonicalResourceQuantity, ownValue, parseQuantity, QuantityError } from "@csi-sidecars/base";
import { type FieldError, forbiddenField, invalidValue, notSupported } from "../field-error.ts";
import { arrayAt, at, isObject, type JsonObject, objectAt, withAt } from "../json.ts";
import type { ServedKind } from "../kind.ts";
import { undecodable } from "../status.ts";

const nano = 1_000_000_000n;
const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** A copy whose quantities at the given paths (a quantity, or a map of them) are in the form in which the server stores them. */
export function withCanonicalQuantities(object: JsonObject, kind: ServedKind, paths: readonly (readonly string[])[]): JsonObject {
  let result = object;
  for (const path of paths) {
    const parent = objectAt(object, ...path.slice(0, -1));
    const value = ownValue(parent, path.at(-1) ?? "");
    if (value === undefined || value === null) continue;
    const canonical = isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, quantity]) => [name, decoded(kind, quantity, canonicalResourceQuantity)]))
      : decoded(kind, value, canonicalQuantity);
    result = withAt(result, path, canonical);
  }
  return result;
}

function decoded(kind: ServedKind, value: unknown, canonical: (value: unknown) => string): string {
  try {
    return canonical(value);
  } catch (error) {
    if (error instanceof QuantityError) throw undecodable(kind, error.message);
    throw error;
  }
}

/** The amount of a stored quantity; zero when absent. */
export const amountOf = (value: unknown): bigint => (value === undefined || value === null ? 0n : parseQuantity(value).nano);

/** The access modes of claims and volumes. */
export function accessModeErrors(modes: readonly unknown[], field: string): FieldError[] {
  const errors = modes.filter((mode) => !accessModes.includes(String(mode))).map((mode) => notSupported(field, mode, accessModes));
  if (modes.includes("ReadWriteOncePod") && modes.length > 1) {
    errors.push(forbiddenField(field, "may not use ReadWriteOncePod with other access modes"));
  }
  return errors;
}

export function volumeModeErrors(mode: unknown, field: string): FieldError[] {
  return mode === "Block" || mode === "Filesystem" || mode === undefined ? [] : [notSupported(field, mode, ["Block", "Filesystem"])];
}

/** Quantities that may not be negative, such as capacities. */
export function negativeErrors(quantities: JsonObject, field: string): FieldError[] {
  return Object.entries(quantities)
    .filter(([, value]) => amountOf(value) < 0n)
    .map(([name, value]) => invalidValue(`${field}[${name}]`, wholeNumber(value), "must be a valid resource quantity"));
}

/** The message names a negative quantity as a number, rounded away from zero. */
const wholeNumber = (value: unknown): number => -Number((-amountOf(value) + nano - 1n) / nano);

/** A copy whose conditions have all times; those that are not set are null. */
export function withConditionTimes(object: JsonObject, times: readonly string[]): JsonObject {
  const conditions = at(object, "status", "conditions");
  if (!Array.isArray(conditions)) return object;
  const unset = Object.fromEntries(times.map((time) => [time, null]));
  return withAt(
    object,
    ["status", "conditions"],
    conditions.map((condition) => (isObject(condition) ? { ...unset, ...condition } : condition)),
  );
}

/** A copy with the finalizer, as the protection admission plugins add it. */
export function withFinalizer(object: JsonObject, finalizer: string): JsonObject {
  const present = arrayAt(object, "metadata", "finalizers");
  return present.includes(finalizer) ? object : withAt(object, ["metadata", "finalizers"], [...present, finalizer]);
}
