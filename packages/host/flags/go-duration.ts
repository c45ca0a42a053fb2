import { goQuote } from "../logging/go-quote.ts";
import { type Parsed, parsed, unparsable } from "./parsed.ts";

const units: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const part = /([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)/y;
const longest = 2 ** 63 / 1e6;

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
  if (total >= longest) return unparsable("value out of range");
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
