import type { ReleaseCommit } from "./commits.ts";
import { type Heading, parseNote } from "./release-note.ts";

/** What a release says: entries by heading and by the part of the repository that they are about. */
export type Sections = ReadonlyMap<Heading, ReadonlyMap<string, readonly string[]>>;

/** The part for what is about no controller alone. */
export const everything = "csi-sidecars";

/** The notes of commits. A commit's area, the word before the colon of its subject, says which controller or program it is about. */
export function sectionsOf(commits: readonly ReleaseCommit[], controllers: readonly string[]): Sections {
  const sections = new Map<Heading, Map<string, string[]>>();
  for (const { id, subject, notes } of commits) {
    const area = subject.split(":")[0] ?? "";
    const part = controllers.includes(area) ? area : everything;
    for (const value of notes) {
      const note = parseNote(value);
      if (note === "none") continue;
      const parts = getOrAdd(sections, note.heading, () => new Map<string, string[]>());
      getOrAdd(parts, part, () => []).push(`${note.text} (${id.slice(0, 10)})`);
    }
  }
  return sections;
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
