import { fromByteString, toByteString } from "./byte-string.ts";
import { type Range, SpellingFinder } from "./find-spellings.ts";
import { stripped } from "./render.ts";
import { spellingsOf } from "./spellings.ts";
import { readingsOf } from "./unescape.ts";

/**
 * Takes secret values out of a text that may echo them, as the errors of drivers do: where a request with secrets failed, its
 * error goes through here before it reaches a log, an event or a status.
 *
 *     redact(error.message, secretsIn(request, CreateVolumeRequest))
 *
 * Also finds values that were trimmed, encoded (base64, hex) or escaped (URLs, forms, JSON, Go's `%q`, HTML) on their way into the
 * text, and single lines of longer ones. A text that takes too long to search is stripped as a whole.
 */
export function redact(text: string, secrets: Iterable<string>): string {
  const bytes = toByteString(text);
  const spellings = Array.from(secrets, (secret) => spellingsOf(secret, bytes.length)).flat();
  if (spellings.length === 0) return text;
  const finder = new SpellingFinder(spellings);
  const found: Range[] = [];
  for (const reading of readingsOf(bytes)) {
    const ranges = finder.find(reading.bytes);
    if (!ranges) return stripped;
    for (const { start, end } of ranges) found.push({ start: reading.origin(start), end: reading.origin(end) });
  }
  return found.length === 0 ? text : fromByteString(without(bytes, found));
}

/** The bytes with a mark in the place of ranges, one for those that overlap or touch. */
function without(bytes: string, ranges: readonly Range[]): string {
  const kept: string[] = [];
  let copied = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (start > copied || kept.length === 0) kept.push(bytes.slice(copied, start));
    copied = Math.max(copied, end);
  }
  return [...kept, bytes.slice(copied)].join(stripped);
}
