const grammar = /^\+?(\d+(?:\.\d*)?|\.\d+)(?:(Ki|Mi|Gi|Ti|Pi|Ei)|([numkMGTPE])|[eE]([+-]?\d{1,2}))?$/;
const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimal: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

/** A Kubernetes quantity (`10Gi`, `1.5G`, `1e9`) as bytes, a fraction of a byte rounded up. */
export function quantityBytes(text: string): bigint {
  const found = grammar.exec(text);
  if (!found) throw new Error(`${JSON.stringify(text)} is no quantity; use for example 10Gi, 500M or a number of bytes`);
  const [, number = "0", power = "", suffix = "", scientific] = found;
  const [whole = "", fraction = ""] = number.split(".");
  const exponent = (decimal[suffix] ?? Number(scientific ?? 0)) - fraction.length;
  const up = 1024n ** BigInt(binary.indexOf(power)) * 10n ** BigInt(Math.max(exponent, 0)) * BigInt(`${whole}${fraction}` || "0");
  const down = 10n ** BigInt(Math.max(-exponent, 0));
  return (up + down - 1n) / down;
}
