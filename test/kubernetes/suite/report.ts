import { readFileSync } from "node:fs";

/** What became of a test. */
export interface TestResult {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** Why it failed or was skipped. */
  readonly reason: string;
  readonly seconds: number;
}

/** The parts of ginkgo's report that matter here. */
interface SuiteReport {
  readonly SuiteSucceeded: boolean;
  /** Such as that it took too long. */
  readonly SpecialSuiteFailureReasons: readonly string[] | null;
  readonly PreRunStats: { readonly SpecsThatWillRun: number };
  readonly SpecReports: readonly SpecReport[] | null;
}

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly RunTime: number;
  readonly Failure?: { readonly Message?: string };
}

/** Reads ginkgo's JSON report: the tests that were chosen, with those that decided to skip themselves, and what made the suite as a whole fail. */
export function readReport(file: string): TestResult[] {
  const suites = JSON.parse(readFileSync(file, "utf8")) as readonly SuiteReport[];
  return suites.flatMap((suite) => {
    const tests = (suite.SpecReports ?? []).flatMap(resultOf);
    return suite.SuiteSucceeded ? tests : [...tests, ...suiteFailures(suite, tests)];
  });
}

/** Of a suite that ended early: tests that it did not come to are skipped without a word, as those that focus left out. */
function suiteFailures({ SpecialSuiteFailureReasons, PreRunStats }: SuiteReport, tests: readonly TestResult[]): TestResult[] {
  const reasons = SpecialSuiteFailureReasons ?? [];
  if (reasons.length === 0 && tests.some(({ outcome }) => outcome === "failed")) return [];
  const why = reasons.join(", ") || "it says that it did not succeed";
  return [suiteFailure(`${why}; ${tests.length} of ${PreRunStats.SpecsThatWillRun} tests ran`)];
}

export function suiteFailure(reason: string): TestResult {
  return { name: "the suite", outcome: "failed", reason, seconds: 0 };
}

function resultOf(spec: SpecReport): TestResult | [] {
  const { ContainerHierarchyTexts: containers, LeafNodeType: type, LeafNodeText: text, State: state, RunTime: nanoseconds } = spec;
  const reason = spec.Failure?.Message ?? "";
  const outcome = state === "passed" ? "passed" : state === "skipped" || state === "pending" ? "skipped" : "failed";
  // A test that focus left out was skipped without a word. What prepares the suite counts when it fails.
  if (type === "It" ? outcome === "skipped" && reason === "" : outcome !== "failed") return [];
  return { name: [...(containers ?? []), text || type].join(" "), outcome, reason, seconds: nanoseconds / 1e9 };
}
