/** The headings of upstream's release notes, by the word that a `Release-note:` begins with. */
export const kinds = {
  urgent: "Urgent Upgrade Notes",
  feature: "Feature",
  bug: "Bug or Regression",
  other: "Other (Cleanup or Flake)",
} as const;
export const uncategorized = "Uncategorized";

/** In the order of the document. */
export const headings = [...Object.values(kinds), uncategorized] as const;
export type Heading = (typeof headings)[number];

/** An entry of the release notes. */
export interface ReleaseNote {
  readonly heading: Heading;
  readonly text: string;
}

/** What a `Release-note:` says: `bug: A claim is ...`. `NONE`: the users see nothing of the change. A word that is no kind is part of the text. */
export function parseNote(value: string): ReleaseNote | "none" {
  const text = value.trim();
  if (text.toUpperCase() === "NONE") return "none";
  const [word = "", ...rest] = text.split(":");
  const heading = new Map<string, Heading>(Object.entries(kinds)).get(word.trim().toLowerCase());
  return heading && rest.length > 0 ? { heading, text: rest.join(":").trim() } : { heading: uncategorized, text };
}
