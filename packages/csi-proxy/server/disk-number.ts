import { goQuote } from "@csi-sidecars/base";
import { CsiProxyError } from "../csi-proxy-error.ts";

const maxUint32 = 2n ** 32n - 1n;
const maxUint64 = 2n ** 64n - 1n;

/**
 * The disk number in a string field of an old version. Fails as Go's `strconv.ParseUint` does, behind the words of `context`: drivers
 * and people know these texts. Numbers above 32 bits are out of range as well: no disk has them, and cutting them off would pick
 * another disk.
 */
export function parseDiskNumber(text: string, context: string): number {
  const fail = (reason: string) => new CsiProxyError("InvalidArgument", `${context}strconv.ParseUint: parsing ${goQuote(text)}: ${reason}`);
  if (text === "") throw fail("invalid syntax");
  let number = 0n;
  for (const digit of text) {
    if (digit < "0" || digit > "9") throw fail("invalid syntax");
    number = number * 10n + BigInt(digit);
    if (number > maxUint64) throw fail("value out of range");
  }
  if (number > maxUint32) throw fail("value out of range");
  return Number(number);
}
