import { dictionary, ownValue } from "@csi-sidecars/base";

/**
 * A field spec without types: `true` selects all of a value, an object some of its fields, a one-element list some fields of
 * every element of an array. Lists of map keys have become objects.
 */
export type FieldTree = true | FieldBranch | readonly [FieldTree];
export interface FieldBranch {
  readonly [field: string]: FieldTree;
}

/** Turns the argument of `fields()` into a tree. Throws on a form that selects nothing or is ambiguous. */
export function fieldTree(spec: unknown, path = ""): FieldTree {
  if (spec === true) return true;
  if (Array.isArray(spec)) {
    if (spec.every((key): key is string => typeof key === "string")) return Object.fromEntries(spec.map((key) => [key, true]));
    if (spec.length === 1) return [fieldTree(spec[0], `${path}[]`)];
  } else if (typeof spec === "object" && spec !== null) {
    const entries = Object.entries(spec).filter(([, sub]) => sub !== undefined);
    return Object.fromEntries(entries.map(([field, sub]) => [field, fieldTree(sub, path ? `${path}.${field}` : field)]));
  }
  throw new TypeError(`field spec at "${path}": expected true, an object, a list of map keys or [<spec of one element>]`);
}

/** The fields that any of the trees selects. */
export function unionOf(trees: readonly FieldTree[]): FieldTree {
  return trees.reduce<FieldTree>(union, {});
}

function union(a: FieldTree, b: FieldTree): FieldTree {
  if (a === true || b === true) return true;
  if (isList(a) || isList(b)) {
    if (isList(a) && isList(b)) return [union(a[0], b[0])];
    const [list, branch] = isList(a) ? [a, b] : [b, a];
    // One reader declares an array, another a struct at the same place: only an empty branch can mean that.
    return Object.keys(branch).length === 0 ? list : true;
  }
  const merged = dictionary<FieldTree>(a);
  for (const [field, sub] of Object.entries(b)) {
    const known = merged[field];
    merged[field] = known === undefined ? sub : union(known, sub);
  }
  return merged;
}

/** Whether objects cached by `wide` have every field that `narrow` selects. */
export function covers(wide: FieldTree, narrow: FieldTree): boolean {
  if (wide === true) return true;
  if (narrow === true) return false;
  if (isList(narrow)) return isList(wide) && covers(wide[0], narrow[0]);
  if (isList(wide)) return Object.keys(narrow).length === 0;
  return Object.entries(narrow).every(([field, sub]) => {
    const cached = ownValue(wide, field);
    return cached !== undefined && covers(cached, sub);
  });
}

/** Whether the tree selects nothing but metadata. */
export function readsMetadataOnly(tree: FieldTree): boolean {
  return tree !== true && !isList(tree) && Object.keys(tree).every((field) => field === "metadata");
}

/** Whether the tree selects from the elements of an array. */
export function isList(tree: FieldTree): tree is readonly [FieldTree] {
  return Array.isArray(tree);
}
