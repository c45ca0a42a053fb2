const metadataKey = '"metadata":';
const managedFieldsKey = '"managedFields":[';
const quote = 0x22;
const backslash = 0x5c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/**
 * Empties `metadata.managedFields` in the JSON text of a watch event: they are nearly half of what a server sends, and parsing them
 * would create dozens of small objects per event as garbage. Expects the order in which API servers write (`type`, `object`, and in
 * it `metadata` before anything nested); text in any other form is returned unchanged.
 */
export function stripManagedFields(line: string): string {
  const metadata = line.indexOf("{", line.indexOf("{", 1) + 1);
  if (!line.startsWith(metadataKey, metadata - metadataKey.length)) return line;
  const key = line.indexOf(managedFieldsKey, metadata);
  if (key < 0 || depthAt(line, metadata, key) !== 1) return line;
  const list = key + managedFieldsKey.length - 1;
  const end = endOf(line, list);
  return end < 0 ? line : `${line.slice(0, list)}[]${line.slice(end)}`;
}

/** The nesting depth at `to`, counted from `from`; 0 when `to` is past the end or inside a string. */
function depthAt(line: string, from: number, to: number): number {
  let depth = 0;
  for (let at = from; at < to; at++) {
    const code = line.charCodeAt(at);
    if (code === quote) {
      at = endOfString(line, at);
      if (at < 0 || at >= to) return 0;
    } else if (code === openingBrace || code === openingBracket) depth++;
    else if ((code === closingBrace || code === closingBracket) && --depth === 0) return 0;
  }
  return depth;
}

/** The index after the bracket that closes the one at `from`; -1 when there is none. */
function endOf(line: string, from: number): number {
  let depth = 0;
  for (let at = from; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code === quote) {
      at = endOfString(line, at);
      if (at < 0) return -1;
    } else if (code === openingBrace || code === openingBracket) depth++;
    else if ((code === closingBrace || code === closingBracket) && --depth === 0) return at + 1;
  }
  return -1;
}

/** The closing quote of the string whose opening quote is at `from`; -1 when there is none. */
function endOfString(line: string, from: number): number {
  for (let at = line.indexOf('"', from + 1); at >= 0; at = line.indexOf('"', at + 1)) {
    let before = at - 1;
    while (line.charCodeAt(before) === backslash) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return -1;
}
