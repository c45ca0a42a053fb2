/** A commit as git stores it, each byte of its texts as a character. */
export interface RawCommit {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** Name, address and time. */
  readonly author: string;
  readonly committer: string;
  readonly encoding?: string;
  readonly message: string;
}

/** Signatures and other headers are dropped: they are about the original. */
export function parseCommit(id: string, bytes: Buffer): RawCommit {
  const text = bytes.toString("latin1");
  const end = text.indexOf("\n\n");
  const headers = (end < 0 ? text : text.slice(0, end)).split("\n").map((line): readonly [string, string] => {
    const space = line.indexOf(" ");
    return [line.slice(0, space), line.slice(space + 1)];
  });
  const values = (name: string) => headers.filter(([key]) => key === name).map(([, value]) => value);
  const [encoding] = values("encoding");
  return {
    id,
    tree: values("tree")[0] ?? "",
    parents: values("parent"),
    author: values("author")[0] ?? "",
    committer: values("committer")[0] ?? "",
    ...(encoding !== undefined && { encoding }),
    message: end < 0 ? "" : text.slice(end + 2),
  };
}
