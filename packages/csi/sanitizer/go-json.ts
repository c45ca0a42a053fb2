/** A string as Go's encoding/json writes it: also safe inside HTML and JavaScript. */
export const goString = (text: string): string => JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, escaped);

/** An object of already rendered values, on one line, sorted by key as Go sorts: by the bytes of UTF-8. */
export const goObject = (entries: Iterable<readonly [key: string, rendered: string]>): string =>
  `{${[...entries]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([key, rendered]) => `${goString(key)}:${rendered}`)
    .join(",")}}`;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
