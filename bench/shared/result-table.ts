import { isMet, type Result } from "./result.ts";

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

/** The results of one subject. */
export interface SubjectResults {
  readonly subject: string;
  readonly results: readonly Result[];
}

/** Subjects side by side, one column each, as a Markdown table. A missed budget is marked where it is missed. */
export function comparisonTable(subjects: readonly SubjectResults[]): string {
  const whats = [...new Set(subjects.flatMap(({ results }) => results.map(({ what }) => what)))];
  const find = (what: string) => subjects.map(({ results }) => results.find((result) => result.what === what));
  const rows = whats.map((what) => {
    const row = find(what);
    const budgeted = row.find((result) => result?.budget);
    return [what, ...row.map((result) => (result ? cell(result) : "–")), budgeted ? budgetText(budgeted) : ""];
  });
  return markdownTable(["quantity", ...subjects.map(({ subject }) => subject), "budget"], rows);
}

function cell(result: Result): string {
  return isMet(result) === false ? `${valueText(result)} (missed)` : valueText(result);
}

/** The number with its unit. */
function valueText({ value, unit }: Result): string {
  return `${rounded(value)} ${unit}`;
}

/** From the least to the greatest measurement; empty where there was only one. */
function rangeText({ samples = [] }: Result): string {
  return samples.length > 1 ? `${rounded(Math.min(...samples))} – ${rounded(Math.max(...samples))}` : "";
}

/** The budget with its unit; empty without one. */
function budgetText({ budget, unit }: Result): string {
  if (!budget) return "";
  return "atMost" in budget ? `<= ${rounded(budget.atMost)} ${unit}` : `>= ${rounded(budget.atLeast)} ${unit}`;
}

function rounded(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

/** A Markdown table with aligned columns, readable as plain text too. */
function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}
