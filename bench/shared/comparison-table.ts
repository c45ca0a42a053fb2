import { markdownTable } from "./markdown-table.ts";
import { isMet, type Result } from "./result.ts";
import { budgetText, valueText } from "./result-text.ts";

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
  return markdownTable(["quantity", ...subjects.map(({ subject }) => subject), "budget"], rows);
}

function cell(result: Result): string {
  return isMet(result) === false ? `${valueText(result)} (missed)` : valueText(result);
}
