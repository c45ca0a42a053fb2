const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Keys in the order of lists. */
export const sortedKeys = (keys: Iterable<string>): string[] => [...keys].sort(order);

/** Where the keys of a namespace begin and end among things sorted by key; without a namespace, all of them. */
export function namespaceRange<T>(
  sorted: readonly T[],
  keyOf: (item: T) => string,
  namespace: string | undefined,
): readonly [from: number, to: number] {
  if (!namespace) return [0, sorted.length];
  return [firstNotBefore(sorted, keyOf, `${namespace}/`), firstNotBefore(sorted, keyOf, `${namespace}${afterSlash}`)];
}

/** The character that follows the slash, so that it ends the range of a prefix. */
const afterSlash = String.fromCharCode("/".charCodeAt(0) + 1);

/** The first index whose key is not below `bound`. */
export function firstNotBefore<T>(sorted: readonly T[], keyOf: (item: T) => string, bound: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = sorted[middle];
    if (item !== undefined && keyOf(item) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
