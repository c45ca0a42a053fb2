import { writeFileSync } from "node:fs";
import { comparisonTable, type SubjectResults } from "./comparison-table.ts";
import { machine } from "./machine.ts";
import type { Result } from "./result.ts";
import { resultTable } from "./result-table.ts";

/** What a run was like, beside the machine it ran on. */
export type Circumstances = Readonly<Record<string, string | number>>;

/** Prints what one program was measured to do, and writes it to a file where one was named. */
export function publishResults(circumstances: Circumstances, results: readonly Result[], json: string | undefined): void {
  const about = { ...machine(), ...circumstances };
  print(about, resultTable(results));
  save(json, { machine: about, results });
}

/** The same for subjects side by side, with `remarks` on which of them were missing and what they asked for. */
export function publishComparison(
  circumstances: Circumstances,
  subjects: readonly SubjectResults[],
  json: string | undefined,
  remarks: { readonly missing: string | undefined; readonly requests?: readonly string[] },
): void {
  const about = { ...machine(), ...circumstances };
  print(about, ...(remarks.missing ? [remarks.missing] : []), comparisonTable(subjects), ...(remarks.requests ?? []));
  save(json, { machine: about, subjects });
}

function print(about: Circumstances, ...paragraphs: readonly string[]): void {
  const first = Object.entries(about).map(([key, value]) => `${key}: ${value}`);
  console.log([first.join(", "), ...paragraphs].join("\n"));
}

function save(file: string | undefined, content: object): void {
  if (file) writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
