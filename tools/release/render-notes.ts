import type { DependencyChanges } from "./dependencies.ts";
import { platformNotes } from "./platforms.ts";
import { type Heading, headings, kinds } from "./release-note.ts";
import { everything, type Sections } from "./sections.ts";

export interface NotesInput {
  readonly tag: string;
  /** Absent for the first release. */
  readonly previous?: string;
  /** The texts of each heading, as Markdown lists. */
  readonly texts: ReadonlyMap<Heading, string>;
  readonly dependencies: DependencyChanges;
}

/** The release notes in the form of the Kubernetes CSI sidecars. */
export function renderNotes({ tag, previous, texts, dependencies }: NotesInput): string {
  const { added, changed, removed } = dependencies;
  const lists = [
    ["Added", added],
    ["Changed", changed],
    ["Removed", removed],
  ] as const;
  const parts = [
    `# Release notes for ${tag}`,
    `# Changelog since ${previous ?? "the first commit"}`,
    "## Changes by Kind",
    ...headings.flatMap((heading) => {
      const text = texts.get(heading);
      return text === undefined ? [] : [`### ${heading}`, ...(heading === kinds.urgent ? [urgentIntroduction] : []), text];
    }),
    "## Dependencies",
    ...lists.flatMap(([title, lines]) => [`### ${title}`, lines.length === 0 ? "_Nothing has changed._" : bullets(lines)]),
    "## Platforms",
    bullets(platformNotes()),
  ];
  return `${parts.join("\n\n")}\n`;
}

const urgentIntroduction = "Read these before you upgrade.";

/** The entries of commits: what is about everything first, then a part for each controller. */
export function textsOf(sections: Sections): ReadonlyMap<Heading, string> {
  return new Map(
    [...sections].map(([heading, parts]) => {
      const names = [...parts.keys()].toSorted((a, b) => Number(b === everything) - Number(a === everything) || a.localeCompare(b));
      return [heading, names.map((name) => `#### ${name}\n\n${bullets(parts.get(name) ?? [])}`).join("\n\n")];
    }),
  );
}

const bullets = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join("\n");
