/** Control characters, line breaks among them, and those that change the direction of writing. */
const invisible = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Foreign text for a terminal, in one line: what a terminal would obey (move the cursor, set the title, start a line that looks like
 * ours) is shown as an escape. In JSON these escapes mean the same characters.
 */
export function visible(text: string): string {
  return text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
