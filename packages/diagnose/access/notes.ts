import type { Reader } from "../rbac/reader-rules.ts";
import { listed } from "../text.ts";

/** How a note about an object that could not be read begins. */
export const unreadableNote = (object: string) => `could not read ${object}: `;

/** A note about what could not be read, and why. */
const parts = /^could not read (?<what>.+?): (?<because>.*)$/s;

/** Notes for people: what could not be read for one reason is one line. */
export function noteLines(notes: readonly string[]): readonly string[] {
  const byReason = Map.groupBy(notes, (note) => parts.exec(note)?.groups?.because ?? note);
  return [...byReason].flatMap(([because, same]) => {
    const whats = same.flatMap((note) => parts.exec(note)?.groups?.what ?? []);
    return whats.length > 1 ? [`${unreadableNote(listed(whats, whats.length))}${because}`] : same;
  });
}

/** How to be allowed what is not; nothing where nothing is forbidden. */
export function roleHint(notes: readonly string[], command: Reader): readonly string[] {
  const isForbidden = notes.some((note) => parts.exec(note)?.groups?.because?.startsWith("needs "));
  return isForbidden ? [`csi-sidecars rbac --for=${command} prints a role that reads all that is needed`] : [];
}
