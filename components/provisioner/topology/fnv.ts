const offsetBasis = 2166136261;
const prime = 16777619;
const utf8 = new TextEncoder();

/** 32-bit FNV-1: spreads claims over topologies. */
export function fnv1(text: string): number {
  let hash = offsetBasis;
  for (const byte of utf8.encode(text)) hash = Math.imul(hash, prime) ^ byte;
  return hash >>> 0;
}

/** 32-bit FNV-1a: shortens label values. */
export function fnv1a(text: string): number {
  let hash = offsetBasis;
  for (const byte of utf8.encode(text)) hash = Math.imul(hash ^ byte, prime);
  return hash >>> 0;
}
