import { isObject } from "./json.ts";

/**
 * The order of a merged list. Items that the patch names stand in the patch's order, the others in the live order; a live item goes before a
 * patched one only where both were in the live list in that order, so new items come first.
 */
export function mergedOrder(
  merged: readonly unknown[],
  patch: readonly unknown[],
  live: readonly unknown[],
  key: string | undefined,
): unknown[] {
  const identity = (item: unknown) => (key !== undefined && isObject(item) ? item[key] : item);
  const places = (list: readonly unknown[]) => new Map(list.map((item, place) => [identity(item), place]));
  const patchPlace = places(patch);
  const livePlace = places(live);
  const byPlace = (place: Map<unknown, number>) => (a: unknown, b: unknown) =>
    (place.get(identity(a)) ?? live.length) - (place.get(identity(b)) ?? live.length);
  const patched = merged.filter((item) => patchPlace.has(identity(item))).sort(byPlace(patchPlace));
  const others = merged.filter((item) => !patchPlace.has(identity(item))).sort(byPlace(livePlace));

  const result: unknown[] = [];
  for (const item of patched) {
    const place = livePlace.get(identity(item));
    while (place !== undefined && others.length > 0 && (livePlace.get(identity(others[0])) ?? place) < place) result.push(others.shift());
    result.push(item);
  }
  return [...result, ...others];
}
