import { type Flag, type FlagOptions, type Parsed, parsed, unparsable } from "./flag.ts";
import {
  formatDuration,
  type ModuleVerbosity,
  parseBool,
  parseByteSize,
  parseDuration,
  parseFloat64,
  parseGateSettings,
  parseInteger,
  parseLabels,
  parseLevel,
  parseList,
  parseUnsigned,
  parseVmodule,
} from "./parse-values.ts";

/** A span of time, given and written as Go does (`"1m30s"`), read as milliseconds. */
export function duration(initial: string, help: string, options: FlagOptions<number> = {}): Flag<number> {
  const start = parseDuration(initial);
  if (!start.ok) throw new Error(`default of a flag: ${start.problem}`);
  return { ...options, type: "duration", initial: start.value, help, parse: parseDuration, format: formatDuration };
}

export function int(initial: number, help: string, options: FlagOptions<number> = {}): Flag<number> {
  return { ...options, type: "int", initial, help, parse: parseInteger, format: String };
}

export function uint(initial: number, help: string, options: FlagOptions<number> = {}): Flag<number> {
  return { ...options, type: "uint", initial, help, parse: (text) => parseUnsigned(text), format: String };
}

export function float(initial: number, help: string, options: FlagOptions<number> = {}): Flag<number> {
  return { ...options, type: "float", initial, help, parse: parseFloat64, format: String };
}

export function bool(initial: boolean, help: string, options: FlagOptions<boolean> = {}): Flag<boolean> {
  return { ...options, type: "bool", initial, help, whenBare: "true", parse: parseBool, format: String };
}

/** A boolean that also takes an empty value (`--automaxprocs=`) for yes. */
export function optionalBool(initial: boolean, help: string, options: FlagOptions<boolean> = {}): Flag<boolean> {
  return { ...bool(initial, help, options), parse: (text) => (text === "" ? parsed(true) : parseBool(text)) };
}

export function text(initial: string, help: string, options: FlagOptions<string> = {}): Flag<string> {
  return { ...options, type: "string", initial, help, parse: parsed, format: String };
}

/** One word of a few. */
export function choice<const Words extends readonly string[]>(
  words: Words,
  initial: Words[number],
  help: string,
  options: FlagOptions<Words[number]> = {},
): Flag<Words[number]> {
  const parse = (given: string): Parsed<Words[number]> => {
    const word = words.find((each) => each === given);
    return word === undefined ? unparsable(`must be one of ${words.join(", ")}`) : parsed(word);
  };
  return { ...options, type: words.join("|"), initial, help, parse, format: String };
}

/** Comma-separated words; repeated flags add up, the default counts only while nothing is given. */
export function list(initial: readonly string[], help: string, options: FlagOptions<readonly string[]> = {}): Flag<readonly string[]> {
  return { ...options, type: "list", initial, help, parse: parseList, format: (items) => items.join(","), merge: (a, b) => [...a, ...b] };
}

/** `key:value,...`; repeated flags merge. */
export function labels(help: string, options: FlagOptions<ReadonlyMap<string, string>> = {}): Flag<ReadonlyMap<string, string>> {
  const format = (value: ReadonlyMap<string, string>) => [...value].map((pair) => pair.join(":")).join(",");
  return { ...options, type: "key:value,...", initial: new Map(), help, parse: parseLabels, format, merge: mergeMaps };
}

/** `Name=true,Other=false`; repeated flags merge. */
export function gateSettings(help: string, options: FlagOptions<ReadonlyMap<string, boolean>> = {}): Flag<ReadonlyMap<string, boolean>> {
  const format = (value: ReadonlyMap<string, boolean>) => [...value].map((pair) => pair.join("=")).join(",");
  return { ...options, type: "Name=bool,...", initial: new Map(), help, parse: parseGateSettings, format, merge: mergeMaps };
}

/** A log verbosity. */
export function level(initial: number, help: string, options: FlagOptions<number> = {}): Flag<number> {
  return { ...options, type: "level", initial, help, parse: parseLevel, format: String };
}

/** `pattern=N,...`; repeated flags add up. */
export function vmodule(help: string, options: FlagOptions<readonly ModuleVerbosity[]> = {}): Flag<readonly ModuleVerbosity[]> {
  const format = (items: readonly ModuleVerbosity[]) => items.map(({ pattern, verbosity }) => `${pattern}=${verbosity}`).join(",");
  return { ...options, type: "pattern=N,...", initial: [], help, parse: parseVmodule, format, merge: (a, b) => [...a, ...b] };
}

/** A number of bytes, given as a Kubernetes quantity. */
export function byteSize(initial: number, help: string, options: FlagOptions<number> = {}): Flag<number> {
  return { ...options, type: "quantity", initial, help, parse: parseByteSize, format: String };
}

/** A flag of older releases that takes any value and does nothing. `form` says whether it was a boolean, which may stand alone. */
export function retired(form: "bool" | "value", help: string): Flag<string> {
  const flag = text("", help, { deprecated: "it has no effect", hidden: true });
  return form === "bool" ? { ...flag, type: "bool", whenBare: "true" } : flag;
}

function mergeMaps<V>(before: ReadonlyMap<string, V>, after: ReadonlyMap<string, V>): ReadonlyMap<string, V> {
  return new Map([...before, ...after]);
}
