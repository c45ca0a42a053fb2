import { readlinkSync } from "node:fs";
import { dictionary, goQuote, systemErrorCode, visible } from "@csi-sidecars/base";
import type { Environment } from "@csi-sidecars/kube";
import { renderValue } from "./render-value.ts";
import type { LogLine } from "./structured-logger.ts";

/** Renders a line as text, with a line break at its end. */
export type LineFormat = (line: LogLine) => string;

/** The fields of a line, each name once with its last value, at the place where it was first named. */
function mergedFields(line: LogLine): readonly (readonly [string, unknown])[] {
  const [first, ...others] = line.fields;
  if (others.length === 0) return Object.entries(first ?? {});
  return Object.entries(Object.assign(dictionary<unknown>(), first, ...others));
}

/**
 * klog's structured text: `I1115 10:20:30.123456       1 attacher:0] "Message" logger="attacher" key="value"`, in local
 * time. Where klog names the source line stands the logger, or else the program, and line 0: nothing cheap knows the caller, and
 * parsers of klog's header need a `file:line`. Programs whose upstream logs plain sentences show their messages without quotes.
 */
export function textFormat(program: string, pid: number, inUtc = false, messages: "quoted" | "plain" = "quoted"): LineFormat {
  const process = ` ${String(pid).padStart(7)} `;
  const timestamp = timestamps(inUtc);
  const shown = messages === "quoted" ? goQuote : plainMessage;
  return (line) => {
    let text = `${line.severity === "info" ? "I" : "E"}${timestamp(line.time)}${process}${line.logger || program}:0] ${shown(line.message)}`;
    if (line.error !== undefined) text += ` err${stringValue(line.error)}`;
    if (line.logger !== "") text += ` logger=${goQuote(line.logger)}`;
    for (const [key, value] of mergedFields(line)) {
      const rendered = renderValue(value);
      if (rendered) text += ` ${key}${rendered.kind === "text" ? stringValue(rendered.text) : `=${rendered.json}`}`;
    }
    return `${text}\n`;
  };
}

/** A message as klog shows those that are not structured. It stays in its line. */
const plainMessage = (message: string) => (visible(message) === message ? message : goQuote(message));

/** Several lines stay readable: each is indented by a tab, and the end is marked in a way that no such line can imitate. */
function stringValue(text: string): string {
  if (!text.includes("\n")) return `=${goQuote(text)}`;
  const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
  return `=<\n\t${lines.replaceAll("\n", "\n\t")}\n >`;
}

/** `MMDD hh:mm:ss.uuuuuu`. Splitting a date is the expensive half of a log line, so it is done once a second. */
function timestamps(inUtc: boolean): (time: number) => string {
  let second = Number.NaN;
  let prefix = "";
  return (time) => {
    const now = Math.floor(time / 1000);
    if (now !== second) {
      second = now;
      prefix = inUtc ? utcPrefix(new Date(now * 1000)) : localPrefix(new Date(now * 1000));
    }
    const micros = Math.min(Math.round((time - now * 1000) * 1000), 999_999);
    return prefix + String(micros).padStart(6, "0");
  };
}

const utcPrefix = (date: Date) =>
  `${two(date.getUTCMonth() + 1)}${two(date.getUTCDate())} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}.`;

const localPrefix = (date: Date) =>
  `${two(date.getMonth() + 1)}${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.`;

const two = (n: number) => (n < 10 ? `0${n}` : String(n));

const utcNames = /^:?(?:.*\/)?(?:UTC|UCT|Zulu|Universal|GMT|UTC0)?$/;

/**
 * Whether local time is UTC, as in nearly every container. Asking a `Date` would load the tables of all time zones,
 * 3 MB of resident memory, so the system is asked instead.
 */
export function isUtc(env: Environment, readLink: (path: string) => string = (path) => readlinkSync(path)): boolean {
  if (env.TZ !== undefined) return utcNames.test(env.TZ);
  try {
    return utcNames.test(readLink("/etc/localtime"));
  } catch (error) {
    return systemErrorCode(error) === "ENOENT";
  }
}

/** One JSON object per line, with the keys of Kubernetes' JSON logs: `ts` in milliseconds, `msg`, `logger`, `v`, `err`, then the fields. */
export const jsonFormat: LineFormat = (line) => {
  let text = `{"ts":${line.time},"msg":${JSON.stringify(line.message)}`;
  if (line.logger !== "") text += `,"logger":${JSON.stringify(line.logger)}`;
  if (line.severity === "info") text += `,"v":${line.level}`;
  if (line.error !== undefined) text += `,"err":${JSON.stringify(line.error)}`;
  for (const [key, value] of mergedFields(line)) {
    const rendered = renderValue(value);
    if (rendered) text += `,${JSON.stringify(free(key, line))}:${rendered.kind === "text" ? JSON.stringify(rendered.text) : rendered.json}`;
  }
  return `${text}}\n`;
};

/** A field must not repeat a key of the line itself: readers of JSON keep only one of the two. */
function free(key: string, line: LogLine): string {
  const taken =
    key === "ts" ||
    key === "msg" ||
    (key === "logger" && line.logger !== "") ||
    (key === "v" && line.severity === "info") ||
    (key === "err" && line.error !== undefined);
  return taken ? `${key}_` : key;
}
