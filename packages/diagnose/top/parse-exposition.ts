import { dictionary } from "@csi-sidecars/base";
import type { Sample } from "@csi-sidecars/host/work";

/** Reads the samples of these metrics from Prometheus' text format. What is no sample is left out. */
export function parseExposition(text: string, metrics: ReadonlySet<string>): readonly Sample[] {
  return text.split("\n").flatMap((line) => {
    const metric = line.slice(0, endOfName(line));
    if (!metrics.has(metric)) return [];
    const labels = dictionary<string>();
    let rest = line.slice(metric.length);
    if (rest.startsWith("{")) {
      let at = 1;
      while (at < rest.length && rest[at] !== "}") {
        const equals = rest.indexOf('="', at);
        if (equals < 0) return [];
        const { value, end } = quoted(rest, equals + 2);
        labels[rest.slice(at, equals).replace(/^[, ]+/, "")] = value;
        at = end;
      }
      rest = rest.slice(at + 1);
    }
    const [number = ""] = rest.trim().split(" ");
    const value = number === "" ? Number.NaN : Number(number);
    return Number.isNaN(value) ? [] : [{ metric, labels, value }];
  });
}

function endOfName(line: string): number {
  const end = line.search(/[{ ]/);
  return end < 0 ? line.length : end;
}

/** The text up to the closing quote, and the index behind it. */
function quoted(line: string, start: number): { readonly value: string; readonly end: number } {
  let value = "";
  for (let at = start; at < line.length; at++) {
    const char = line[at] ?? "";
    if (char === '"') return { value, end: at + 1 };
    if (char === "\\") {
      at++;
      value += line[at] === "n" ? "\n" : (line[at] ?? "");
    } else value += char;
  }
  return { value, end: line.length };
}
