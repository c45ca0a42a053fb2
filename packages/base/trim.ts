/** A text without the character at its end, however often it is there: Go's `strings.TrimRight`. Linear, unlike `/x+$/`. */
export function trimRight(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** The same at both ends: Go's `strings.Trim`. */
export function trim(text: string, character: string): string {
  let start = 0;
  while (start < text.length && text[start] === character) start++;
  return trimRight(text.slice(start), character);
}
