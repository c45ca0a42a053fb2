import { isMet, type Result } from "./result.ts";

/** What one subject was measured to do. */
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
  const header = ["quantity", ...subjects.map(({ subject }) => subject), "budget"];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function cell(result: Result): string {
  const text = `${rounded(result.value)} ${result.unit}`;
  return isMet(result) === false ? `${text} (missed)` : text;
}

function budgetText({ budget, unit }: Result): string {
  if (!budget) return "";
  return "atMost" in budget ? `<= ${rounded(budget.atMost)} ${unit}` : `>= ${rounded(budget.atLeast)} ${unit}`;
}

function rounded(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}
