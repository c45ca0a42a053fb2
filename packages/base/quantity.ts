import { type Dictionary, dictionary } from "./dictionary.ts";

const grammar = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(.*)$/s;
/** The server's expression, which its error quotes, in a form that reads each text in one way only and so needs no backtracking. */
const allowed = /^[+-]?[0-9.]+(?:[eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?$/;
const binary = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimal: Readonly<Dictionary<number>> = dictionary({ n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 });
const nano = 10n ** 9n;
const milli = 10n ** 6n;
const largest = (2n ** 63n - 1n) * nano;

type Format = "binary" | "decimal" | "exponent";

/** A Kubernetes quantity. `nano` is exact to the billionth, to which the server rounds up. */
export interface Quantity {
  readonly nano: bigint;
  readonly format: Format;
}

/** The text is not a quantity; the message is the API server's. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
}

/** Reads `1.5Gi`, `500m`, `1e3` or a plain number. */
export function parseQuantity(value: unknown): Quantity {
  const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
  if (typeof text !== "string" || !allowed.test(text))
    throw new QuantityError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  const [, sign = "", number = "", suffix = ""] = grammar.exec(text) ?? [];
  const scale = scaleOf(suffix);
  if (number === "" || !scale) throw new QuantityError("unable to parse quantity's suffix");
  const [whole = "", fraction = ""] = number.split(".");
  const digits = BigInt(`${whole}${fraction}` || "0");
  const [up, down] = [scale.up * nano * digits, scale.down * 10n ** BigInt(fraction.length)];
  const magnitude = capped((up + down - 1n) / down);
  return { nano: sign === "-" ? -magnitude : magnitude, format: scale.format };
}

/** The server replaces a value that it cannot hold by the largest that it can. */
function capped(magnitude: bigint): bigint {
  if (magnitude > largest) return largest;
  return magnitude;
}

function scaleOf(suffix: string): { up: bigint; down: bigint; format: Format } | undefined {
  const power = binary.indexOf(suffix);
  if (power >= 0) return { up: 1024n ** BigInt(power + 1), down: 1n, format: "binary" };
  const exponent = decimal[suffix] ?? exponentOf(suffix);
  if (exponent === undefined || Math.abs(exponent) > 100) return undefined;
  const format = suffix in decimal ? "decimal" : "exponent";
  return exponent < 0 ? { up: 1n, down: 10n ** BigInt(-exponent), format } : { up: 10n ** BigInt(exponent), down: 1n, format };
}

function exponentOf(suffix: string): number | undefined {
  const found = /^[eE]([+-]?\d+)$/.exec(suffix);
  return found ? Number(found[1]) : undefined;
}

/** The form in which the server stores and shows a quantity: no fraction, the largest suffix. */
function formatQuantity({ nano: value, format }: Quantity): string {
  if (value === 0n) return "0";
  const small = value > -1024n * nano && value < 1024n * nano;
  if (format === "binary" && !small && value % nano === 0n) {
    let whole = value / nano;
    let power = 0;
    while (power < binary.length && whole % 1024n === 0n) {
      whole /= 1024n;
      power++;
    }
    return `${whole}${power === 0 ? "" : binary[power - 1]}`;
  }
  let [number, exponent] = [value, -9];
  while (number % 1000n === 0n && exponent < 18) {
    number /= 1000n;
    exponent += 3;
  }
  if (format === "exponent") return exponent === 0 ? `${number}` : `${number}e${exponent}`;
  const suffix = Object.keys(decimal).find((name) => decimal[name] === exponent);
  return `${number}${suffix}`;
}

/** The canonical form of any spelling of a quantity. */
export const canonicalQuantity = (value: unknown): string => formatQuantity(parseQuantity(value));

/** The same for capacities, requests and limits, which are rounded up to thousandths. */
export function canonicalResourceQuantity(value: unknown): string {
  const { nano: exact, format } = parseQuantity(value);
  return formatQuantity({ nano: ceilDiv(exact, milli) * milli, format });
}

function ceilDiv(value: bigint, by: bigint): bigint {
  return value > 0n ? (value + by - 1n) / by : value / by;
}

/** A size in whole bytes, rounded up. Text that is not a quantity, which the API server does not accept, counts as 0. */
export function bytesOf(quantity: string | number | undefined): bigint {
  if (quantity === undefined) return 0n;
  try {
    return (parseQuantity(quantity).nano + nano - 1n) / nano;
  } catch (problem) {
    if (problem instanceof QuantityError) return 0n;
    throw problem;
  }
}

/** A number of bytes in the canonical form that Kubernetes gives capacities: `5632Mi`, `100Ki`, `1k`. */
export const formatBytes = (bytes: bigint): string => formatQuantity({ nano: bytes * nano, format: "binary" });
