import { isObject, type JsonObject } from "../json.ts";
import { memberSchema, type Schema } from "./schema.ts";

/** An object with its schema's defaults. A null that may not be one counts as absent. */
export function defaulted(object: JsonObject, schema: Schema): JsonObject {
  const result: JsonObject = {};
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
