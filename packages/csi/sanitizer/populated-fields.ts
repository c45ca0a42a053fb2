import type { FieldDescriptor } from "./descriptors.ts";
import { asBytes, asList, asObject, isObject, type PlainObject } from "./shape.ts";

/** The fields of a message that are set, by proto3's rule: a zero is unset, a sub-message without content is set. */
export function* populatedFields(message: PlainObject, fields: readonly FieldDescriptor[]): Generator<[FieldDescriptor, unknown]> {
  for (const field of fields) {
    const value = field.oneof === undefined ? message[field.property] : armOf(message[field.oneof], field.property);
    if (value === undefined || value === null) continue;
    if (field.oneof !== undefined || !isZero(field, value)) yield [field, value];
  }
}

const armOf = (union: unknown, arm: string): unknown => (isObject(union) && union.$case === arm ? union[arm] : undefined);

function isZero({ kind, many }: FieldDescriptor, value: unknown): boolean {
  if (many === "list") return asList(value).length === 0;
  if (many === "map") return Object.keys(asObject(value)).length === 0;
  switch (kind) {
    case "message":
    case "wrapper":
      return false;
    case "bytes":
      return asBytes(value).length === 0;
    case "string":
      return value === "";
    case "bool":
      return value === false;
    case "number":
    case "enum":
      return value === 0 || value === 0n;
  }
}
