// The last lines of .ci/run: which tests passed only when retried, which failed, the seed of random events, and how many were skipped, passed
// and failed.
// `bun tools/ci/summarize-tests.ts <log of bun test>` exits with 1 when more tests were retried than `maxRetried`, or one that may not be.
import { readFileSync } from "node:fs";

/** A slow machine explains a few retries; more of them mean that tests depend on time. */
const maxRetried = 5;
/** What leaks or is lost in one of two runs is a defect, however slow the machine: these tests set `retry: 0`. */
const neverRetried = "test/chaos/";

/** What the log of one or more runs of `bun test --retry` says. */
export interface TestSummary {
  /** `run: file: name` of every test that passed on its second attempt or later. */
  readonly retried: readonly string[];
  /** The same of every test that failed; also errors outside of tests, and runs that ended early. */
  readonly failures: readonly string[];
  /** Whether the log names the tests that passed: Bun leaves them out in some environments, and then retries cannot be told. */
  readonly namesPassed: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const npmScript = /^> \S+@\S+ (\S+)$/;
const fileHeader = /^(?:::group::)?(\S+\.test\.[jt]sx?):$/;
// Bun ends a result with the time it took where that is worth showing. What a test printed without a newline may stand before it.
const result = /(\(pass\)|✓|\(fail\)|✗) (.+?)( \(attempt \d+\))?(?: \[[\d.]+m?s\])?$/;
const total = /^\s*(\d+) (pass|fail|skip)$/;
const lastLine = /^Ran \d+ tests? across /;
// `npm run e2e` ends with the numbers of upstream's suite, or says why it could not run.
const suiteTotal = /^(\d+) passed, (\d+) failed, (\d+) skipped$/;
const suiteFailure = /^failed: (.+)$/;
const suiteSkipped = /^e2e: skipped: /;

/** Reads the output of `bun test` and `npm run e2e`, several runs after another included. */
export function summarize(log: string): TestSummary {
  const totals = { pass: 0, fail: 0, skip: 0 };
  const retried: string[] = [];
  const failures: string[] = [];
  let run = "";
  let file = "";
  let namesPassed = false;
  let ended = true;
  const named = (what: string) => [run, file, what].filter(Boolean).join(": ");
  const expectEnd = () => {
    if (!ended) failures.push(named("the run ended here, without its totals"));
  };
  for (const line of results(log)) {
    const script = npmScript.exec(line)?.[1];
    if (script) {
      expectEnd();
      [run, file, ended] = [script, "", false];
    }
    file = fileHeader.exec(line)?.[1] ?? file;
    const suite = run === "e2e" ? suiteTotal.exec(line) : null;
    ended ||= lastLine.test(line) || suite !== null || suiteSkipped.test(line);
    const [, mark, name = "", attempt] = result.exec(line) ?? [];
    const passed = mark === "(pass)" || mark === "✓";
    namesPassed ||= passed;
    if (passed && attempt) retried.push(named(name));
    if (passed && attempt && file.startsWith(neverRetried)) failures.push(named(`${name}: was retried, but needs retry: 0`));
    if (mark && !passed) failures.push(named(name));
    if (suite) {
      totals.pass += Number(suite[1]);
      totals.fail += Number(suite[2]);
      totals.skip += Number(suite[3]);
    }
    const failed = suiteFailure.exec(line)?.[1];
    if (run === "e2e" && failed) failures.push(named(failed));
    const [, count, what] = total.exec(line) ?? [];
    if (what === "pass" || what === "fail" || what === "skip") totals[what] += Number(count);
  }
  expectEnd();
  return { retried, failures, namesPassed, passed: totals.pass, failed: totals.fail, skipped: totals.skip };
}

const repeatedFailures = /^\d+ tests? failed:\n(?:.+\n)*/gm;
const errorBetweenTests = /^# Unhandled error between tests\n-+\n([\s\S]*?)^-+$/gm;

/** The lines of the log with each failure once, and errors outside of tests, such as a file that cannot be loaded, as one of them. */
function results(log: string): string[] {
  return Bun.stripANSI(log)
    .replaceAll("\r\n", "\n")
    .replace(repeatedFailures, "")
    .replace(errorBetweenTests, (_, text: string) => `(fail) outside of a test: ${/^\w*error: .*/im.exec(text)?.[0] ?? text.trim()}`)
    .split("\n");
}

/** The summary as .ci/run prints it; with the seed of the run, if there is one. */
export function render({ retried, failures, namesPassed, passed, failed, skipped }: TestSummary, seed?: string): string {
  return [
    namesPassed
      ? `${retried.length} passed only when retried (at most ${maxRetried} may)`
      : "unknown how many passed only when retried: Bun did not name the tests that passed",
    ...retried.map((test) => `  ${test}`),
    ...(failures.length === 0 ? [] : ["failed:"]),
    ...failures.map((test) => `  ${test}`),
    ...(seed === undefined ? [] : [`seed ${seed}: SEED=${seed} repeats the random events`]),
    `${skipped} skipped`,
    `${passed} passed, ${failed} failed`,
  ].join("\n");
}

if (import.meta.main) {
  const summary = summarize(readFileSync(process.argv[2] ?? "/dev/stdin", "utf8"));
  console.log(render(summary, process.env.SEED));
  const mayBeRetried = summary.retried.length <= maxRetried && !summary.retried.some((test) => test.includes(neverRetried));
  process.exit(mayBeRetried ? 0 : 1);
}
