interface Page<E> {
  readonly entries: readonly E[];
  readonly nextToken: string;
}

/** All entries of a list that the driver answers page by page; `method` is for the error when the pages have no end. */
export async function allPages<E>(method: string, read: (startingToken: string) => Promise<Page<E>>): Promise<readonly E[]> {
  const found: E[] = [];
  const tokens = new Set<string>();
  for (let startingToken = ""; ; ) {
    const { entries, nextToken } = await read(startingToken);
    for (const entry of entries) found.push(entry);
    if (nextToken === "") return found;
    if (tokens.has(nextToken)) throw new Error(`the driver's ${method} returns the page ${JSON.stringify(nextToken)} more than once`);
    tokens.add(nextToken);
    startingToken = nextToken;
  }
}
