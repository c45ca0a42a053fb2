/** A commit message with further trailers: in the block of trailers that it has, or in a new one. */
export function withTrailers(message: string, trailers: readonly (readonly [name: string, value: string])[]): string {
  const text = message.trimEnd();
  const paragraphs = text.split(/\n[ \t]*\n/);
  const last = paragraphs.at(-1) ?? "";
  const hasTrailers = paragraphs.length > 1 && last.split("\n").every((line) => /^[A-Za-z][A-Za-z0-9-]*: \S|^[ \t]+\S/.test(line));
  const block = trailers.map(([name, value]) => `${name}: ${value}`).join("\n");
  return `${[text, block].filter(Boolean).join(hasTrailers ? "\n" : "\n\n")}\n`;
}
