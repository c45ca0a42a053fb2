/** An object of a kind that is known only by its JSON. */
export type Unstructured = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Unstructured {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy without one field. */
export function without(object: Unstructured, field: string): Unstructured {
  const { [field]: _, ...others } = object;
  return others;
}

/** A value as messages show it. */
export function typeName(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "bigint" ? "number" : typeof value;
}
