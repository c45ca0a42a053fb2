import { UserError } from "../../cmd/playground/user-error.ts";
import { type Heading, kinds, uncategorized } from "./release-note.ts";

/** Where what CHANGELOG.md keeps under a heading goes in the notes of the first release: there is nothing yet to upgrade from. */
const headingOf = new Map<string, Heading>([
  ["Changed", kinds.other],
  ["Feature", kinds.feature],
  ["Fixed", kinds.bug],
  ["Other", kinds.other],
]);

/** The texts of CHANGELOG.md's part Unreleased by heading: the notes of the first release, whose commits have none of their own. */
export function unreleasedTexts(changelog: string): ReadonlyMap<Heading, string> {
  const [, after] = changelog.split(/^## Unreleased$/m);
  if (after === undefined) throw new UserError("CHANGELOG.md has no part Unreleased");
  const [part = ""] = after.split(/^## /m);
  const texts = new Map<Heading, string>();
  for (const section of part.split(/^### /m).slice(1)) {
    const end = section.indexOf("\n");
    const heading = headingOf.get(section.slice(0, end).trim()) ?? uncategorized;
    texts.set(heading, [texts.get(heading), section.slice(end).trim()].filter(Boolean).join("\n"));
  }
  return texts;
}
