/** Names that users may give to labels, parameters and secret keys, and that every JavaScript object inherits. */
export const inheritedNames = ["constructor", "toString", "hasOwnProperty", "__proto__"] as const;

/** An object that has all of them as keys of its own, each with this value. */
export function withInheritedNames<V>(value: V): Readonly<Record<string, V>> {
  return Object.fromEntries(inheritedNames.map((name) => [name, value]));
}
