import type { HeaderField } from "./hpack-static-table.ts";

/** A header block of literals alone: whoever reads it needs no table, and adds nothing to one. */
export function encodeLiterals(fields: readonly HeaderField[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [literalWithoutIndexing, ...string(name), ...string(value)]));
}

const literalWithoutIndexing = Buffer.of(0);

function string(text: string): readonly Buffer[] {
  return [lengthOf(text), Buffer.from(text, "latin1")];
}

/** The length as an integer of seven bits and its continuation; the eighth would say that the text is Huffman-coded. */
function lengthOf(text: string): Buffer {
  if (text.length < 127) return Buffer.of(text.length);
  const bytes = [127];
  let rest = text.length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}
