import { goQuote } from "./go-quote.ts";
import { type LineFormat, mergedFields } from "./log-line.ts";
import { renderValue } from "./render-value.ts";

/**
 * klog's structured text: `I1115 10:20:30.123000       1 csi-sidecars:0] "Message" logger="attacher" key="value"`, in local
 * time. Where klog names the source line stands the program and line 0: nothing cheap knows the caller, and parsers of klog's
 * header need a `file:line`.
 */
export function textFormat(program: string, pid: number, inUtc = false): LineFormat {
  const origin = ` ${String(pid).padStart(7)} ${program}:0] `;
  const timestamp = timestamps(inUtc);
  return (line) => {
    let text = `${line.severity === "info" ? "I" : "E"}${timestamp(line.time)}${origin}${goQuote(line.message)}`;
    if (line.error !== undefined) text += ` err${stringValue(line.error)}`;
    if (line.logger !== "") text += ` logger=${goQuote(line.logger)}`;
    for (const [key, value] of mergedFields(line)) {
      const rendered = renderValue(value);
      if (rendered) text += ` ${key}${rendered.kind === "text" ? stringValue(rendered.text) : `=${rendered.json}`}`;
    }
    return `${text}\n`;
  };
}

/** Several lines stay readable: each is indented by a tab, and the end is marked in a way that no such line can imitate. */
function stringValue(text: string): string {
  if (!text.includes("\n")) return `=${goQuote(text)}`;
  const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
  return `=<\n\t${lines.replaceAll("\n", "\n\t")}\n >`;
}

/** `MMDD hh:mm:ss.uuuuuu`. Taking a date apart is the costly half of a log line, so it is done once a second. */
function timestamps(inUtc: boolean): (time: number) => string {
  let second = Number.NaN;
  let prefix = "";
  return (time) => {
    const now = Math.floor(time / 1000);
    if (now !== second) {
      second = now;
      prefix = inUtc ? utcPrefix(new Date(now * 1000)) : localPrefix(new Date(now * 1000));
    }
    const micros = Math.floor((time - now * 1000) * 1000);
    return prefix + String(micros).padStart(6, "0");
  };
}

const utcPrefix = (date: Date) =>
  `${two(date.getUTCMonth() + 1)}${two(date.getUTCDate())} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}.`;

const localPrefix = (date: Date) =>
  `${two(date.getMonth() + 1)}${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.`;

const two = (n: number) => (n < 10 ? `0${n}` : String(n));
