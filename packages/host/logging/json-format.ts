import { type LineFormat, type LogLine, mergedFields } from "./log-line.ts";
import { renderValue } from "./render-value.ts";

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
