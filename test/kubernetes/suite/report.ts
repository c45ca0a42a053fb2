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

/** Reads ginkgo's JSON report: the tests that were chosen, with those that decided to skip themselves. */
export function readReport(file: string): TestResult[] {
  const suites = JSON.parse(readFileSync(file, "utf8")) as readonly SuiteReport[];
  return suites.flatMap(({ SpecReports }) => (SpecReports ?? []).flatMap(resultOf));
}

function resultOf(spec: SpecReport): TestResult | [] {
  const { ContainerHierarchyTexts: containers, LeafNodeType: type, LeafNodeText: text, State: state, RunTime: nanoseconds } = spec;
  const reason = spec.Failure?.Message ?? "";
  const outcome = state === "passed" ? "passed" : state === "skipped" || state === "pending" ? "skipped" : "failed";
  // A test that focus left out was skipped without a word. What prepares the suite counts when it fails.
  if (type === "It" ? outcome === "skipped" && reason === "" : outcome !== "failed") return [];
  return { name: [...(containers ?? []), text || type].join(" "), outcome, reason, seconds: nanoseconds / 1e9 };
}
