/** An entry of upstream's changelog. */
export interface ChangelogEntry {
  /** The heading it stands under, without its marks: `Bug or Regression`. */
  readonly kind: string;
  readonly text: string;
}

const pullLink = /\[#(\d+)\]/g;

/** The entries of a changelog by the number of their pull request. An entry may name several. */
export function changelogEntries(markdown: string): ReadonlyMap<number, ChangelogEntry> {
  const entries = new Map<number, ChangelogEntry>();
  let kind = "";
  for (const line of markdown.split("\n")) {
    if (line.startsWith("#")) kind = line.replace(/^#+/, "").trim();
    if (!/^\s*[-*] /.test(line)) continue;
    const text = line.trim().slice(2).split(" ([#")[0]?.trim() ?? "";
    for (const [, pull] of line.matchAll(pullLink)) if (!entries.has(Number(pull))) entries.set(Number(pull), { kind, text });
  }
  return entries;
}
