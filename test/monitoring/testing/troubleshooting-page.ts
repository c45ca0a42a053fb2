import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One situation of docs/troubleshooting.md. */
export interface Situation {
  readonly title: string;
  /** As code hosts make it. */
  readonly anchor: string;
  /** What to look at (`why`, `event`, `log`, ...), and the texts in code spans that are said of it. */
  readonly looks: ReadonlyMap<string, readonly string[]>;
  /** What to do. */
  readonly remedy: string;
}

export const page = readFileSync(join(import.meta.dirname, "../../../docs/troubleshooting.md"), "utf8");

export const spansIn = (text: string): readonly string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);

export const situations: readonly Situation[] = page
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const [title = "", ...lines] = section.replace(/^## .*/ms, "").split("\n");
    const rows = lines.flatMap((line) => /^\| (\w+) \| (.*) \|$/.exec(line) ?? []);
    const looks = new Map<string, readonly string[]>();
    for (let at = 0; at < rows.length; at += 3) looks.set(rows[at + 1] ?? "", spansIn(rows[at + 2] ?? ""));
    return {
      ...{ title, looks },
      anchor: title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
      remedy: lines.filter((line) => line !== "" && !line.startsWith("|")).join(" "),
    };
  });
