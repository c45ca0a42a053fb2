import { bytesOf, parseQuantity } from "@csi-sidecars/base";

/** A size that was typed in (`10Gi`, `1.5G`, `1e9`) as bytes, a fraction of a byte rounded up. */
export function quantityBytes(text: string): bigint {
  if (!isSize(text)) throw new Error(`${JSON.stringify(text)} is no quantity; use for example 10Gi, 500M or a number of bytes`);
  return bytesOf(text);
}

function isSize(text: string): boolean {
  try {
    return parseQuantity(text).nano >= 0n;
  } catch {
    return false;
  }
}
