/** With fewer rows below the help, the view is not worth drawing. */
const leastView = 4;

/** The help in pages, the last row of each for the key that turns them; one page without that where the view fits below it. */
export function helpPages(lines: readonly string[], rows: number, key: string): readonly (readonly string[])[] {
  if (lines.length + leastView <= rows) return [lines];
  const perPage = Math.max(1, rows - 1);
  const count = Math.ceil(lines.length / perPage);
  return Array.from({ length: count }, (_, i) => [
    ...lines.slice(i * perPage, (i + 1) * perPage),
    i + 1 < count ? `${key} more (${i + 1} of ${count})` : `${key} back`,
  ]);
}
