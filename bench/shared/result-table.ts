import { markdownTable } from "./markdown-table.ts";
import { isMet, type Result } from "./result.ts";
import { budgetText, rangeText, valueText } from "./result-text.ts";

/** Results one below the other, as a Markdown table. */
export function resultTable(results: readonly Result[]): string {
  const rows = results.map((result) => [
    result.what,
    valueText(result),
    rangeText(result),
    budgetText(result),
    { true: "met", false: "missed", undefined: "" }[`${isMet(result)}`] ?? "",
  ]);
  return markdownTable(["quantity", "measured", "range", "budget", ""], rows);
}
