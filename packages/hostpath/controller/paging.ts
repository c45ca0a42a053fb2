import { refuse } from "../refuse.ts";

const mark = "after ";

/**
 * The ids of a page of a sorted list. A token names the last id of the page before, so that what comes and goes between two
 * pages neither repeats nor hides anything else.
 */
export function pageOf(
  ids: readonly string[],
  maxEntries: number,
  token: string,
): { readonly ids: readonly string[]; readonly nextToken: string } {
  if (maxEntries < 0) refuse("InvalidArgument", `max_entries must not be negative: ${maxEntries}`);
  const start = token === "" ? 0 : indexAfter(ids, readToken(token));
  const end = maxEntries === 0 ? ids.length : Math.min(ids.length, start + maxEntries);
  const last = ids[end - 1];
  const nextToken = end < ids.length && last !== undefined ? Buffer.from(mark + last).toString("base64url") : "";
  return { ids: ids.slice(start, end), nextToken };
}

function readToken(token: string): string {
  const text = Buffer.from(token, "base64url").toString();
  if (!text.startsWith(mark) || Buffer.from(text).toString("base64url") !== token) {
    refuse("Aborted", `invalid starting_token ${JSON.stringify(token)}: start again without one`);
  }
  return text.slice(mark.length);
}

function indexAfter(ids: readonly string[], id: string): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? "") > id) high = middle;
    else low = middle + 1;
  }
  return low;
}
