/**
 * A 53 bit digest of the parts that make an event the same as another. The caches hold thousands of these, and the parts themselves are
 * long (names, uids, messages); with 4096 entries two of them meet by chance once in a billion times.
 */
export function eventKey(...parts: readonly (string | undefined)[]): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (const part of parts) {
    // One round more than the part is long, for what parts it from the next.
    const length = part?.length ?? 0;
    for (let i = 0; i <= length; i++) {
      const code = part && i < length ? part.charCodeAt(i) : 0xffff;
      high = Math.imul(high ^ code, 0x9e3779b1);
      low = Math.imul(low ^ code, 0x5f356495);
    }
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (low & 0x1fffff) * 2 ** 32 + (high >>> 0);
}
