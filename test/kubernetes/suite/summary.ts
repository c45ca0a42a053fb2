import type { TestResult } from "./report.ts";

export interface SetResult {
  readonly set: string;
  readonly seconds: number;
  readonly tests: readonly TestResult[];
}

export function succeeded({ tests }: SetResult): boolean {
  return tests.some(({ outcome }) => outcome === "passed") && tests.every(({ outcome }) => outcome !== "failed");
}

/** The failures with their reasons, and the skips by reason, of every set; the last line has the numbers of all. */
export function summaryOf(results: readonly SetResult[]): string {
  const all = results.flatMap(({ tests }) => tests);
  return [...results.map(describeSet), counts(all)].join("\n");
}

export function counts(tests: readonly TestResult[]): string {
  const count = (which: TestResult["outcome"]) => tests.filter(({ outcome }) => outcome === which).length;
  return `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`;
}

function describeSet({ set, seconds, tests }: SetResult): string {
  const failed = tests.filter(({ outcome }) => outcome === "failed");
  const skipped = Map.groupBy(
    tests.filter(({ outcome }) => outcome === "skipped"),
    ({ reason }) => firstLine(reason),
  );
  return [
    `# ${set}: ${counts(tests)} in ${Math.round(seconds)} s`,
    ...failed.map(({ name, reason }) => `failed: ${shortName(name)}\n    ${firstLine(reason)}`),
    ...[...skipped].flatMap(([reason, same]) => [`skipped ${same.length}: ${reason}`, ...same.map(({ name }) => `    ${shortName(name)}`)]),
    "",
  ].join("\n");
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

/** Without what every test of a driver begins with. */
function shortName(name: string): string {
  return name.replace(/^\[sig-storage\] /, "").replace(/^External Storage \[Driver: [^\]]*\] /, "");
}
