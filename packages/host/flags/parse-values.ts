import { type Dictionary, dictionary, goQuote } from "@csi-sidecars/base";
import { type Parsed, parsed, unparsable } from "./flag.ts";

const yes = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const no = new Set(["0", "f", "F", "FALSE", "false", "False"]);

/** The words Go's `strconv.ParseBool` knows. */
export function parseBool(text: string): Parsed<boolean> {
  if (yes.has(text)) return parsed(true);
  if (no.has(text)) return parsed(false);
  return unparsable(`${goQuote(text)} is neither true nor false`);
}

const digits = {
  hexadecimal: /^0[xX](_?[0-9a-fA-F])+$/,
  octal: /^0[oO]?(_?[0-7])+$/,
  binary: /^0[bB](_?[01])+$/,
  decimal: /^(0|[1-9](_?[0-9])*)$/,
};
const leadingZero = /^0_?[0-7]/;

/** A whole number in Go's notations: decimal, `0x`, `0o` or a leading `0`, `0b`, with `_` between digits. */
export function parseInteger(text: string): Parsed<number> {
  const [, sign = "", magnitude = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (!Object.values(digits).some((notation) => notation.test(magnitude))) {
    return unparsable(`${goQuote(text)} is not a whole number`);
  }
  const bare = magnitude.replaceAll("_", "");
  const value = Number(leadingZero.test(magnitude) ? `0o${bare}` : bare) * (sign === "-" ? -1 : 1);
  if (!Number.isSafeInteger(value)) return unparsable("value out of range");
  return parsed(value + 0);
}

/** A whole number that Go keeps in an unsigned type of `bits`: no sign at all. */
export function parseUnsigned(text: string, bits = 53): Parsed<number> {
  if (/^[+-]/.test(text)) return unparsable(`${goQuote(text)} is not a whole number without sign`);
  const result = parseInteger(text);
  return result.ok && result.value >= 2 ** bits ? unparsable("value out of range") : result;
}

/** A finite number, with fraction and exponent. */
export function parseFloat64(text: string): Parsed<number> {
  if (!/^[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) return unparsable(`${goQuote(text)} is not a number`);
  const value = Number(text);
  return Number.isFinite(value) ? parsed(value) : unparsable("value out of range");
}

const units: Readonly<Dictionary<number>> = dictionary({
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
});
const part = /([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)/y;
const maxDurationMs = 2 ** 63 / 1e6;

/** A Go duration (`300ms`, `1.5h`, `2h45m`) in milliseconds. Only `0` needs no unit. */
export function parseDuration(text: string): Parsed<number> {
  const [, sign = "", rest = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === "0") return parsed(0);
  if (/^[0-9]+(\.[0-9]*)?$/.test(rest)) return unparsable(`missing unit in duration ${goQuote(text)}: write ${text}s for seconds`);
  let total = 0;
  let at = 0;
  while (at < rest.length) {
    part.lastIndex = at;
    const match = part.exec(rest);
    if (!match) break;
    total += Number(match[1]) * (units[match[2] ?? ""] ?? Number.NaN);
    at = part.lastIndex;
  }
  if (rest === "" || at < rest.length) return unparsable(`invalid duration ${goQuote(text)}: write it as 300ms, 15s or 1m30s`);
  if (total >= maxDurationMs) return unparsable("value out of range");
  const rounded = Math.round(total * 1e6) / 1e6;
  return parsed(sign === "-" && rounded !== 0 ? -rounded : rounded);
}

/** A duration as Go prints it: `1m0s`, `1.5s`, `300ms`. */
export function formatDuration(ms: number): string {
  const nanos = Math.round(Math.abs(ms) * 1e6);
  const sign = ms < 0 ? "-" : "";
  if (nanos === 0) return "0s";
  if (nanos < 1e3) return `${sign}${nanos}ns`;
  if (nanos < 1e6) return `${sign}${nanos / 1e3}µs`;
  if (nanos < 1e9) return `${sign}${nanos / 1e6}ms`;
  const minutes = Math.floor(nanos / 60e9);
  const seconds = `${(nanos - minutes * 60e9) / 1e9}s`;
  if (minutes === 0) return sign + seconds;
  if (minutes < 60) return `${sign}${minutes}m${seconds}`;
  return `${sign}${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}

const scales: Readonly<Dictionary<number>> = dictionary({
  "": 1,
  k: 1e3,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
});

/** A number of bytes written as a Kubernetes quantity (`512`, `1k`, `2Ki`, `3M`, `4e3`), rounded up to whole bytes. */
export function parseByteSize(text: string): Parsed<number> {
  const match = /^\+?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:([kKMG]i?)|[eE]([+-]?[0-9]{1,3}))?$/.exec(text);
  const scale = match?.[3] === undefined ? scales[match?.[2] ?? ""] : 10 ** Number(match[3]);
  if (!match || scale === undefined) return unparsable("write a number of bytes: 512, 1k, 2Ki, 3M or 4Mi");
  const bytes = Math.ceil(Number(match[1]) * scale);
  return Number.isSafeInteger(bytes) ? parsed(bytes) : unparsable("value out of range");
}

/** Comma-separated words; spaces around them and empty ones do not count. */
export function parseList(text: string): Parsed<readonly string[]> {
  return parsed(
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== ""),
  );
}

/** Labels as `key:value,key:value`. Nothing is trimmed, and an empty text is a malformed item, as upstream has it. */
export function parseLabels(text: string): Parsed<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>();
  for (const item of text.split(",")) {
    const [key, value, ...more] = item.split(":");
    if (key === undefined || value === undefined || more.length > 0) return unparsable(`malformed item in list of labels: ${item}`);
    labels.set(key, value);
  }
  return parsed(labels);
}

/** Feature gates as `A=true,B=false`; spaces around names and values do not count. */
export function parseGateSettings(text: string): Parsed<ReadonlyMap<string, boolean>> {
  const settings = new Map<string, boolean>();
  for (const item of text.split(",")) {
    if (item.trim() === "") continue;
    const equals = item.indexOf("=");
    if (equals < 0) return unparsable(`malformed pair, expect string=bool: ${goQuote(item.trim())}`);
    const [name, value] = [item.slice(0, equals).trim(), item.slice(equals + 1).trim()];
    const setting = parseBool(value);
    if (!setting.ok) return unparsable(`invalid value of ${name}: ${value}, err: ${setting.problem}`);
    settings.set(name, setting.value);
  }
  return parsed(settings);
}

/** One entry of `--vmodule`: loggers whose name matches the pattern are shown up to this verbosity. */
export interface ModuleVerbosity {
  readonly pattern: string;
  readonly verbosity: number;
}

/** `--vmodule`'s list of `pattern=N`. */
export function parseVmodule(text: string): Parsed<readonly ModuleVerbosity[]> {
  const items: ModuleVerbosity[] = [];
  for (const item of text.split(",")) {
    if (item === "") continue;
    const [pattern = "", level = "", ...more] = item.split("=");
    if (pattern === "" || level === "" || more.length > 0) return unparsable(`${goQuote(item)} does not have the pattern=N format`);
    const verbosity = parseLevel(level);
    if (!verbosity.ok) return unparsable(`parsing verbosity in ${goQuote(item)}: ${verbosity.problem}`);
    items.push({ pattern, verbosity: verbosity.value });
  }
  return parsed(items);
}

/** A verbosity: decimal digits only, up to what klog can hold. */
export function parseLevel(text: string): Parsed<number> {
  if (!/^[0-9]+$/.test(text)) return unparsable(`${goQuote(text)} is not a verbosity: write a whole number such as 5`);
  return parseUnsigned(text.replace(/^0+(?=[0-9])/, ""), 31);
}
