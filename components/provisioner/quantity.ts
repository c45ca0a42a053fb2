const grammar = /^\+?(\d+(?:\.\d*)?|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d{1,3})?$/;
const binary = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimal = ["", "k", "M", "G", "T", "P", "E"];
const fractions: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3 };

/** A Kubernetes quantity as whole bytes, fractions rounded up. The API server lets no text through that is none: such a one counts 0. */
export function bytesOf(quantity: string | number | undefined): bigint {
  const [, number = "0", suffix = ""] = grammar.exec(String(quantity ?? 0)) ?? [];
  const [whole = "", fraction = ""] = number.split(".");
  const digits = BigInt(`${whole}${fraction}`);
  const power = binary.indexOf(suffix);
  const exponent = (power < 0 ? exponentOf(suffix) : 0) - fraction.length;
  const up = 1024n ** BigInt(power + 1) * 10n ** BigInt(Math.max(exponent, 0)) * digits;
  const down = 10n ** BigInt(Math.max(-exponent, 0));
  return (up + down - 1n) / down;
}

/** A number of bytes in the canonical form that Kubernetes gives capacities: `5632Mi`, `100Ki`, `1k`. */
export function formatBytes(bytes: bigint): string {
  const [base, suffixes] = bytes < 1024n ? [1000n, decimal] : [1024n, ["", ...binary]];
  let [rest, power] = [bytes, 0];
  while (rest > 0n && rest % base === 0n && power < suffixes.length - 1) {
    rest /= base;
    power++;
  }
  return `${rest}${suffixes[power]}`;
}

function exponentOf(suffix: string): number {
  const small = fractions[suffix];
  if (small !== undefined) return small;
  if (/^[eE].+/.test(suffix)) return Number(suffix.slice(1));
  return 3 * Math.max(decimal.indexOf(suffix), 0);
}
