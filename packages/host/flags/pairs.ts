import { goQuote } from "../logging/go-quote.ts";
import { parseBool, parseUnsigned } from "./go-numbers.ts";
import { type Parsed, parsed, unparsable } from "./parsed.ts";

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
