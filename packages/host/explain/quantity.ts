const grammar = /^\+?(\d+(?:\.\d*)?|\.\d+)(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d{1,3}))?$/;
const binary = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const exponents: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

/** A Kubernetes quantity in bytes, near enough to compare sizes; 0 for what is none. */
export function bytesOf(quantity: string | number | undefined): number {
  const [, number = "0", power, suffix = "", exponent] = grammar.exec(String(quantity ?? 0)) ?? [];
  if (power !== undefined) return Number(number) * 1024 ** (binary.indexOf(power) + 1);
  return Number(number) * 10 ** (exponent === undefined ? (exponents[suffix] ?? 0) : Number(exponent));
}
