import { GcAfterList } from "@csi-sidecars/base";

/** One answer of a list method. */
interface Page<E> {
  readonly entries: readonly E[];
  readonly nextToken: string;
}

/**
 * The entries of a list that the driver answers page by page, as they come. `method` is for the error when the pages have no end: a
 * driver that repeats a token would be asked forever.
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
  do {
    if (asked.has(startingToken)) throw new Error(`the driver's ${method} gave the same next_token twice`);
    asked.add(startingToken);
    const { entries, nextToken } = await read(startingToken);
    yield entries;
    gc.objectsRead(entries.length);
    startingToken = nextToken;
  } while (startingToken !== "");
  gc.listDone();
}
