import { GcAfterList } from "@csi-sidecars/base";

/** One answer of a list method. */
interface Page<E> {
  readonly entries: readonly E[];
  readonly nextToken: string;
}

/** Enough for drivers that look through zones or accounts where they have no volumes. */
const maxEmptyPages = 1_000;
/** Enough for one volume on each page. */
const maxPages = 100_000;

/**
 * The entries of a list that the driver answers page by page, as they come. `method` is for the error when the pages have no end: a
 * driver that repeats a token, or always has a new one, would be asked forever.
 *
 * ```ts
 * for await (const entries of listPages("ListVolumes", (startingToken) => controller.listVolumes({ startingToken, maxEntries: 0 }))) ...
 * ```
 */
export async function* listPages<E>(
  method: string,
  read: (startingToken: string) => Promise<Page<E>>,
): AsyncGenerator<readonly E[], void, undefined> {
  const asked = new Set<string>();
  const gc = new GcAfterList();
  let startingToken = "";
  let emptyPages = 0;
  do {
    const problem = endless(asked, startingToken, emptyPages);
    if (problem) throw new Error(`the driver's ${method} gave ${problem}`);
    asked.add(startingToken);
    const { entries, nextToken } = await read(startingToken);
    emptyPages = entries.length === 0 ? emptyPages + 1 : 0;
    yield entries;
    gc.objectsRead(entries.length);
    startingToken = nextToken;
  } while (startingToken !== "");
  gc.listDone();
}

function endless(asked: ReadonlySet<string>, startingToken: string, emptyPages: number): string | undefined {
  if (asked.has(startingToken)) return "the same next_token twice";
  if (emptyPages >= maxEmptyPages) return `${maxEmptyPages} pages without entries in a row, and more are to come`;
  if (asked.size >= maxPages) return `${maxPages} pages, and more are to come`;
  return undefined;
}
