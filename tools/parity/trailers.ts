const trailer = /^[A-Za-z][A-Za-z0-9-]*: \S/;
const continued = /^[ \t]+\S/;

/** A commit message with further trailers: in the block of trailers that it has, or in a new one. */
export function withTrailers(message: string, trailers: readonly (readonly [name: string, value: string])[]): string {
  const text = message.trimEnd();
  const paragraphs = text.split(/\n[ \t]*\n/);
  const [first = "", ...others] = (paragraphs.at(-1) ?? "").split("\n");
  const hasTrailers = paragraphs.length > 1 && trailer.test(first) && others.every((line) => trailer.test(line) || continued.test(line));
  const block = trailers.map(([name, value]) => `${name}: ${value}`).join("\n");
  return `${[text, block].filter(Boolean).join(hasTrailers ? "\n" : "\n\n")}\n`;
}
