// The last lines of .ci/run: which tests passed only when retried, the seed of random events, and how many were skipped, passed and failed.
// `bun tools/ci/summarize-tests.ts <log of bun test>` exits with 1 when more tests were retried than `maxRetried`.
import { readFileSync } from "node:fs";

/** A slow machine explains a few retries; more of them mean that tests depend on time. */
const maxRetried = 5;

/** What the log of one or more runs of `bun test --retry` says. */
export interface TestSummary {
  /** `run: file: name` of every test that passed on its second attempt or later. */
  readonly retried: readonly string[];
  /** Whether the log names the tests that passed: Bun leaves them out in some environments, and then retries cannot be told. */
  readonly namesPassed: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const npmScript = /^> \S+@\S+ (\S+)$/;
const fileHeader = /^(?:::group::)?(\S+\.test\.[jt]sx?):$/;
// Bun ends a result with the time it took where that is worth showing. What a test printed without a newline may stand before it.
const passedLate = /(?:\(pass\)|✓) (.+) \(attempt \d+\)(?: \[[\d.]+m?s\])?$/;
const anyPassed = /(?:\(pass\)|✓) /;
const total = /^\s*(\d+) (pass|fail|skip)$/;

/** Reads the output of `bun test`, several runs after another included. */
export function summarize(log: string): TestSummary {
  const totals = { pass: 0, fail: 0, skip: 0 };
  const retried: string[] = [];
  let run = "";
  let file = "";
  let namesPassed = false;
  for (const line of Bun.stripANSI(log).split(/\r?\n/)) {
    run = npmScript.exec(line)?.[1] ?? run;
    file = fileHeader.exec(line)?.[1] ?? file;
    namesPassed ||= anyPassed.test(line);
    const name = passedLate.exec(line)?.[1];
    if (name !== undefined) retried.push([run, file, name].filter(Boolean).join(": "));
    const [, count, what] = total.exec(line) ?? [];
    if (what === "pass" || what === "fail" || what === "skip") totals[what] += Number(count);
  }
  return { retried, namesPassed, passed: totals.pass, failed: totals.fail, skipped: totals.skip };
}

/** The summary as .ci/run prints it; with the seed of the run, if there is one. */
export function render({ retried, namesPassed, passed, failed, skipped }: TestSummary, seed?: string): string {
  return [
    namesPassed
      ? `${retried.length} passed only when retried (at most ${maxRetried} may)`
      : "unknown how many passed only when retried: Bun did not name the tests that passed",
    ...retried.map((test) => `  ${test}`),
    ...(seed === undefined ? [] : [`seed ${seed}: SEED=${seed} repeats the random events`]),
    `${skipped} skipped`,
    `${passed} passed, ${failed} failed`,
  ].join("\n");
}

if (import.meta.main) {
  const summary = summarize(readFileSync(process.argv[2] ?? "/dev/stdin", "utf8"));
  console.log(render(summary, process.env.SEED));
  process.exit(summary.retried.length > maxRetried ? 1 : 0);
}
