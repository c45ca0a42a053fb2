/**
 * A message reaches the sanitizer as a plain object whose shape only the descriptors know. These read it as they say;
 * an error tells what was expected and never what was found, which could be a secret.
 */
export type PlainObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is PlainObject => typeof value === "object" && value !== null;

export function asObject(value: unknown): PlainObject {
  if (!isObject(value)) throw new TypeError("expected an object");
  return value;
}

export function asList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError("expected a list");
  return value;
}

export function asBytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError("expected bytes");
  return value;
}
