import { isMet, type Result } from "./result.ts";

/** Results as a Markdown table that is also readable as it is. */
export function resultTable(results: readonly Result[]): string {
  const rows = results.map((result) => [
    result.what,
    `${rounded(result.value)} ${result.unit}`,
    result.samples && result.samples.length > 1 ? `${rounded(Math.min(...result.samples))} – ${rounded(Math.max(...result.samples))}` : "",
    budgetText(result),
    { true: "met", false: "missed", undefined: "" }[`${isMet(result)}`],
  ]);
  const header = ["quantity", "measured", "range", "budget", ""];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map((row) => line(row.map((cell) => cell ?? "")))].join(
    "\n",
  );
}

function budgetText({ budget, unit }: Result): string {
  if (!budget) return "";
  return "atMost" in budget ? `<= ${rounded(budget.atMost)} ${unit}` : `>= ${rounded(budget.atLeast)} ${unit}`;
}

function rounded(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}
