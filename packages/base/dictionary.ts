declare const withoutPrototype: unique symbol;

/**
 * An object used as a map. It has no prototype: it does not contain `constructor` or `toString` unless somebody put them there, and
 * `__proto__` is a key like any other. The type keeps plain objects from being taken for one.
 */
export type Dictionary<V> = Record<string, V> & { readonly [withoutPrototype]: true };

/** A new dictionary, empty or with the entries of a plain object. */
export function dictionary<V>(entries?: Readonly<Record<string, V>>): Dictionary<V> {
  const made = Object.create(null);
  return entries ? Object.assign(made, entries) : made;
}

/**
 * What a plain object holds under a key that comes from outside: a label, an annotation, a field. Nothing that it inherits, as
 * `record[key]` has it for `constructor`.
 */
export function ownValue<V>(record: Readonly<Record<string, V>> | undefined, key: string): V | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Sets what a plain object holds under a key that comes from outside. An assignment takes `__proto__` for the prototype. */
export function setOwnValue<V>(record: Record<string, V>, key: string, value: V): void {
  Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
}
