import { writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import type { Result } from "./result.ts";
import { comparisonTable, resultTable, type SubjectResults } from "./result-table.ts";

/** The conditions of a run besides the machine. */
export type Circumstances = Readonly<Record<string, string | number>>;

/** Prints the results of one program, and writes them to a file where one was named. */
export function publishResults(circumstances: Circumstances, results: readonly Result[], json: string | undefined): void {
  const about = { ...machine(), ...circumstances };
  print(about, resultTable(results));
  save(json, { machine: about, results });
}

/** The same for subjects side by side, with `remarks` on missing peers and on the requests of each subject. */
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

/** The machine that the numbers belong to. */
export function machine(): Readonly<Record<string, string | number>> {
  const [first] = cpus();
  return {
    date: new Date().toISOString(),
    cpu: first?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    bun: Bun.version,
  };
}
