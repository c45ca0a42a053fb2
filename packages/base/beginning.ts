/**
 * At most `maxLength` characters from the start of a text, for somebody who keeps them. A slice of a string shares its memory: it would
 * keep all of a driver's error, of 64 KiB perhaps, for the line that is shown of it.
 */
export function beginningOf(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : Buffer.from(text.slice(0, maxLength)).toString();
}
