import { refuse } from "./refuse.ts";

/** A page of a list: the entries after `token`, and the token of the next page; all of them when `maxEntries` is 0. */
export function page<T>(
  all: readonly T[],
  maxEntries: number,
  token: string,
): { readonly entries: readonly T[]; readonly nextToken: string } {
  const start = token === "" ? 0 : Number(token);
  if (!Number.isInteger(start) || start < 0 || start > all.length) refuse("Aborted", `invalid starting_token ${JSON.stringify(token)}`);
  if (maxEntries < 0) refuse("InvalidArgument", `max_entries must not be negative: ${maxEntries}`);
  const end = maxEntries === 0 ? all.length : Math.min(all.length, start + maxEntries);
  return { entries: all.slice(start, end), nextToken: end < all.length ? String(end) : "" };
}
