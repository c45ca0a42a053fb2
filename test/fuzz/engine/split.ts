import { Random } from "./random.ts";

/**
 * Some of the ways in which a connection may deliver these bytes: at once, byte by byte, in pieces of random lengths. The same bytes
 * are always split in the same ways.
 */
export function splits(bytes: Uint8Array): readonly (readonly Uint8Array[])[] {
  const random = new Random(Bun.hash.crc32(bytes));
  const few = bytes.length <= 16_384 ? [pieces(bytes, () => 1 + random.below(7))] : [];
  return [pieces(bytes, () => 1), ...few, pieces(bytes, () => 1 + random.below(bytes.length))];
}

function pieces(bytes: Uint8Array, size: () => number): Uint8Array[] {
  const all: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + size());
    all.push(bytes.slice(at, end));
    at = end;
  }
  return all;
}
