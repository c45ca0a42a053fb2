import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Node } from "../node/start-node.ts";
import { leftBehind } from "./left-behind.ts";
import { readReport, suiteFailure, type TestResult } from "./report.ts";
import type { TestSet } from "./sets.ts";
import type { SetResult } from "./summary.ts";

export interface SetOptions extends TestSet {
  /** For tests that restart the kubelet. */
  readonly sshAccess: Readonly<Record<string, string>>;
  readonly name: string;
  /** Describes the driver for the suite. */
  readonly definition: string;
  /** Where `junit.xml`, `report.json` and `log` go. */
  readonly out: string;
  /** As ginkgo takes it, such as `1h`. */
  readonly limit: string;
}

/** Runs tests of upstream's suite on the node. Nothing in the folder `out` stays from an earlier run. */
export async function runSet(
  node: Pick<Node, "paths" | "kubectl">,
  { name, definition, out, limit, focus, skip, parallel, sshAccess }: SetOptions,
): Promise<SetResult> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const log = openSync(join(out, "log"), "w");
  const started = performance.now();
  const ginkgo = spawn(
    join(node.paths.node, "ginkgo"),
    [
      `--procs=${parallel}`,
      `--timeout=${limit}`,
      ...["--no-color", "--silence-skips", "--output-interceptor-mode=none"],
      `--output-dir=${out}`,
      ...["--json-report=report.json", "--junit-report=junit.xml"],
      `--focus=${focus}`,
      ...skip.map((pattern) => `--skip=${pattern}`),
      join(node.paths.node, "e2e.test"),
      "--",
      "-provider=skeleton",
      `-kubeconfig=${node.kubectl.kubeconfig}`,
      `-kubectl-path=${node.kubectl.path}`,
      `-storage.testdriver=${definition}`,
      ...["-num-nodes=1", "-disable-log-dump=true", "-system-pods-startup-timeout=10s"],
    ],
    { stdio: ["ignore", log, log], cwd: out, env: { ...process.env, ...sshAccess } },
  );
  const [code, signal] = await once(ginkgo, "exit");
  closeSync(log);
  const seconds = (performance.now() - started) / 1000;
  const tests = resultsIn(out, signal ? `signal ${signal}` : `exit code ${code}`);
  return { set: name, seconds, tests: [...tests, ...(await leftBehind(node.kubectl))] };
}

/** What the report says, and a failure if ginkgo ended otherwise than that. */
function resultsIn(out: string, end: string): TestResult[] {
  const report = join(out, "report.json");
  if (!existsSync(report)) return [suiteFailure(`ginkgo ended with ${end} and wrote no report; see ${join(out, "log")}`)];
  const tests = readReport(report);
  const explained = end === "exit code 0" || tests.some(({ outcome }) => outcome === "failed");
  return explained ? tests : [...tests, suiteFailure(`ginkgo ended with ${end}; see ${join(out, "log")}`)];
}
