import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SoakOptions } from "./options.ts";
import { plotOf } from "./plot.ts";
import { describeVerdict, type SoakRecord } from "./verdict.ts";

const [recordFile, plotFile, verdictFile] = ["record.json", "plot.svg", "verdict.txt"];

/** Removes what an earlier soak found. */
export function removeOutcome(out: string): void {
  for (const name of [recordFile, plotFile, verdictFile]) rmSync(join(out, name), { force: true });
}

/** Writes what a soak has found so far: one that is ended early leaves whole files too. */
export function writeOutcome({ parallel, seed, out }: SoakOptions, record: SoakRecord): void {
  mkdirSync(out, { recursive: true });
  const files = {
    [recordFile]: JSON.stringify({ parallel, seed, ...record }, undefined, 1),
    [plotFile]: plotOf(record.samples),
    [verdictFile]: describeVerdict(record),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(out, `.${name}`), `${text.trimEnd()}\n`);
    renameSync(join(out, `.${name}`), join(out, name));
  }
}
