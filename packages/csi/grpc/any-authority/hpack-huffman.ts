import { MalformedHeaders } from "./malformed-headers.ts";

/**
 * How many bits HPACK's Huffman code has for each byte, sixteen bytes to a line (RFC 7541, appendix B). The code is canonical: among
 * codes of the same length those of smaller bytes come first, so that the lengths determine it.
 */
const bitsPerByte: readonly number[] = [
  [13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28],
  [28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28],
  [6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6],
  [5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10],
  [13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7],
  [7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6],
  [15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5],
  [6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28],
  [20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23],
  [24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24],
  [22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23],
  [21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23],
  [26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25],
  [19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27],
  [20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23],
  [26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26],
].flat();

const longestCode = 30;

/** The codes of one length: consecutive numbers from `first`, for these bytes. */
interface CodesOfLength {
  readonly first: number;
  readonly bytes: readonly number[];
}

const codesByLength: readonly CodesOfLength[] = canonicalCodes();

function canonicalCodes(): readonly CodesOfLength[] {
  const codes: CodesOfLength[] = [];
  let next = 0;
  for (let length = 0; length <= longestCode; length++) {
    const bytes = bitsPerByte.flatMap((bits, byte) => (bits === length ? [byte] : []));
    codes.push({ first: next, bytes });
    next = (next + bytes.length) * 2;
  }
  return codes;
}

/** The text of a Huffman-coded string. What is left of its last byte must be ones, and fewer than eight of them. */
export function decodeHuffman(coded: Uint8Array): string {
  const decoded: number[] = [];
  let code = 0;
  let length = 0;
  for (const byte of coded) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      length++;
      const candidates = codesByLength[length];
      // The one code of thirty bits that no byte has ends the string, and may not be sent.
      if (!candidates) throw new MalformedHeaders("a Huffman code that no byte has");
      const found = candidates.bytes[code - candidates.first];
      if (found === undefined) continue;
      decoded.push(found);
      code = 0;
      length = 0;
    }
  }
  if (length > 7 || code !== 2 ** length - 1) throw new MalformedHeaders("a Huffman string with wrong padding");
  return Buffer.from(decoded).toString("latin1");
}
