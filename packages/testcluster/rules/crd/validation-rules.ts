import { messageOf, ownValue } from "@csi-sidecars/base";
import { type FieldError, invalidValue } from "../field-error.ts";
import { deepEqual, isObject } from "../json.ts";
import { type Expression, parseCel } from "./cel.ts";
import { memberSchema, type Schema } from "./structural-schema.ts";
import { item, type Place, within } from "./validate.ts";

/** The compiled CEL rules of a schema; returns the violations of a value or of its change. */
export type CelValidator = (value: unknown, place: Place, old?: unknown) => FieldError[];

interface Rule {
  readonly holds: Expression;
  /** A transition rule: only evaluated where there is an old value. */
  readonly transition: boolean;
  readonly message: string;
}

/** Compiles the rules of a schema and of everything below it; throws for an unsupported rule. */
export function celValidator(schema: Schema): CelValidator {
  const rules: readonly Rule[] = (schema["x-kubernetes-validations"] ?? []).map(({ rule, message }) => ({
    holds: parseCel(rule),
    transition: /\boldSelf\b/.test(rule),
    message: message ?? `failed rule: ${rule}`,
  }));
  const members = new Map(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, celValidator(inner)]));
  const rest = typeof schema.additionalProperties === "object" ? celValidator(schema.additionalProperties) : undefined;
  const items = schema.items ? celValidator(schema.items) : undefined;

  return (value, place, old) => {
    if (old !== undefined && deepEqual(value, old)) return [];
    const errors = rules.flatMap((rule) => broken(rule, value, old, place));
    if (Array.isArray(value)) return [...errors, ...value.flatMap((one, i) => items?.(one, item(place, i)) ?? [])];
    if (!isObject(value)) return errors;
    const before = isObject(old) ? old : {};
    const inner = Object.entries(value).flatMap(([name, member]) => {
      const check = members.get(name) ?? (memberSchema(schema, name) ? rest : undefined);
      return check?.(member, within(place, name), ownValue(before, name)) ?? [];
    });
    return [...errors, ...inner];
  };
}

function broken({ holds, transition, message }: Rule, self: unknown, oldSelf: unknown, { field }: Place): FieldError[] {
  if (transition && oldSelf === undefined) return [];
  try {
    if (holds(transition ? { self, oldSelf } : { self }) === true) return [];
  } catch (error) {
    const why = messageOf(error);
    return [invalidValue(field, Array.isArray(self) ? "array" : typeof self, `${why} evaluating rule: ${message}`)];
  }
  const shown = invalidValue(field, self, message);
  return [typeof self === "object" ? { ...shown, message: `Invalid value: ${message}` } : shown];
}
