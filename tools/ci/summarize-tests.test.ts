import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { render, summarize } from "./summarize-tests.ts";

describe("summarize", () => {
  const cases: [string, string[], string[]][] = [
    ["a test that passed at once", ["a.test.ts:", "(pass) first [1.20ms]"], []],
    ["a test that passed on its second attempt", ["a/b.test.ts:", "(pass) outer > inner (attempt 2)"], ["a/b.test.ts: outer > inner"]],
    ["with the time it took", ["a.test.ts:", "(pass) slow (attempt 2) [30.02s]"], ["a.test.ts: slow"]],
    ["a test that failed on its second attempt has failed", ["a.test.ts:", "(fail) broken (attempt 2) [0.02ms]"], []],
    ["a test with such a name", ["a.test.ts:", "(pass) gives up (attempt 2) and waits"], []],
    ["the file it is in", ["a.test.ts:", "(pass) x", "", "b.test.ts:", "(pass) x (attempt 2)"], ["b.test.ts: x"]],
    ["the run it is in", ["> csi-sidecars@0.1.0 test:real", "a.test.ts:", "(pass) x (attempt 3)"], ["test:real: a.test.ts: x"]],
    ["behind what the test printed", ["a.test.ts:", "no newline(pass) x (attempt 2)"], ["a.test.ts: x"]],
    ["as GitHub groups it", ["::group::a.test.ts:", "(pass) x (attempt 2)"], ["a.test.ts: x"]],
    [
      "in colour",
      [
        "a.test.ts:",
        "\u001b[0m\u001b[32m✓\u001b[0m\u001b[0m\u001b[1m x\u001b[0m \u001b[2m(attempt 2)\u001b[0m \u001b[2m[0.12ms\u001b[0m\u001b[2m]\u001b[0m",
      ],
      ["a.test.ts: x"],
    ],
  ];
  test.each(cases)("retried: %s", (_, lines, retried) => {
    expect(summarize(lines.join("\n")).retried).toEqual(retried);
  });

  const failed: [string, string[], string[]][] = [
    [
      "a test that failed",
      ["> csi-sidecars@0.1.0 test", "a.test.ts:", "(fail) outer > inner [1.20ms]", "Ran 1 test across 1 file."],
      ["test: a.test.ts: outer > inner"],
    ],
    ["on its second attempt", ["a.test.ts:", "(fail) broken (attempt 2) [30.02s]"], ["a.test.ts: broken"]],
    ["because of its time limit", ["a.test.ts:", "(fail) slow [50.00ms]", "  ^ this test timed out after 50ms."], ["a.test.ts: slow"]],
    [
      "in colour",
      ["a.test.ts:", "\u001b[0m\u001b[31m✗\u001b[0m\u001b[0m\u001b[1m x\u001b[0m \u001b[2m[0.12ms\u001b[0m\u001b[2m]\u001b[0m"],
      ["a.test.ts: x"],
    ],
    [
      "not again where Bun repeats them",
      ["a.test.ts:", "(fail) x", "b.test.ts:", "(pass) y", "", "1 tests failed:", "(fail) x", "", " 1 pass"],
      ["a.test.ts: x"],
    ],
    [
      "an error between tests",
      [
        "a.test.ts:",
        "",
        "# Unhandled error between tests",
        "-------------------------------",
        "1 | throw",
        "    ^",
        "TypeError: late",
        "      at a.test.ts:1:2",
        "-------------------------------",
        "",
      ],
      ["a.test.ts: outside of a test: TypeError: late"],
    ],
    [
      "a test with random events that was retried",
      ["test/chaos/a.test.ts:", "(pass) x (attempt 2)", "test/b.test.ts:", "(pass) x (attempt 2)"],
      ["test/chaos/a.test.ts: x: was retried, but needs retry: 0"],
    ],
    [
      "a run that ended early",
      ["> csi-sidecars@0.1.0 test", "a.test.ts:", "(pass) x", "> csi-sidecars@0.1.0 test:real", "Ran 1 test across 1 file."],
      ["test: a.test.ts: the run ended here, without its totals"],
    ],
    [
      "the last run, too",
      ["> csi-sidecars@0.1.0 test:real", "> bun tools/test-real.ts"],
      ["test:real: the run ended here, without its totals"],
    ],
  ];
  test.each(failed)("failed: %s", (_, lines, failures) => {
    expect(summarize(lines.join("\n")).failures).toEqual(failures);
  });

  test("adds up the totals of all runs, and of nothing else", () => {
    const log = " 10 pass\n 2 skip\n 1 fail\nthe driver said: 3 fail\n 5 pass\n 0 fail\nRan 15 tests across 2 files. [1.00s]\n";
    expect(summarize(log)).toEqual({ retried: [], failures: [], namesPassed: false, passed: 15, failed: 1, skipped: 2 });
  });
});

test("the summary ends with the counts", () => {
  const counts = { failures: [], passed: 3, failed: 0, skipped: 2 };
  expect(render({ retried: ["test: a.test.ts: x"], namesPassed: true, ...counts })).toBe(
    "1 passed only when retried (at most 5 may)\n  test: a.test.ts: x\n2 skipped\n3 passed, 0 failed",
  );
  expect(render({ retried: [], namesPassed: false, ...counts })).toBe(
    "unknown how many passed only when retried: Bun did not name the tests that passed\n2 skipped\n3 passed, 0 failed",
  );
  expect(render({ retried: [], namesPassed: true, ...counts }, "7")).toBe(
    "0 passed only when retried (at most 5 may)\nseed 7: SEED=7 repeats the random events\n2 skipped\n3 passed, 0 failed",
  );
  expect(render({ retried: [], namesPassed: true, ...counts, failures: ["test: a.test.ts: x"], failed: 1 })).toBe(
    "0 passed only when retried (at most 5 may)\nfailed:\n  test: a.test.ts: x\n2 skipped\n3 passed, 1 failed",
  );
});

describe("what bun test itself prints", () => {
  const flaky = (count: number) => `import { test } from "bun:test";
    const tried = new Set();
    for (let n = 1; n <= ${count}; n++) test("flaky " + n, () => { if (!tried.has(n)) { tried.add(n); throw new Error("first attempt"); } });
    test("steady", () => {});
    let tries = 0;
    test("leaks once", () => { if (tries++ === 0) throw new Error("first attempt"); }, { retry: 0 });
    test("broken", () => { throw new Error("every attempt"); });`;

  test.each([
    [5, "sub", 0],
    [6, "sub", 1],
    [1, "test/chaos", 1],
  ])("%i retried tests of %s end with code %i", async (count, tests, code) => {
    const folder = mkdtempSync(join(tmpdir(), "summarize-tests-"));
    try {
      mkdirSync(join(folder, tests), { recursive: true });
      writeFileSync(join(folder, tests, "flaky.test.ts"), flaky(count));
      writeFileSync(join(folder, tests, "missing.test.ts"), `import { x } from "./missing.ts"; console.log(x);`);
      // Nothing else: some variables make Bun leave out what passed.
      const env = { PATH: process.env.PATH, HOME: process.env.HOME };
      const run = Bun.spawnSync([process.execPath, "test", "--retry=1", `./${tests}/flaky.test.ts`, `./${tests}/missing.test.ts`], {
        cwd: folder,
        env,
        stdout: "pipe",
        stderr: "pipe",
      });
      writeFileSync(join(folder, "log"), `${run.stdout}${run.stderr}`);
      const program = join(import.meta.dirname, "summarize-tests.ts");
      const summary = Bun.spawnSync([process.execPath, program, join(folder, "log")], { env: { ...env, SEED: "7" } });
      const names = Array.from({ length: count }, (_, index) => `  ${tests}/flaky.test.ts: flaky ${index + 1}`);
      expect(`${summary.stdout}`.trimEnd().split("\n")).toEqual([
        `${count} passed only when retried (at most 5 may)`,
        ...names,
        "failed:",
        ...(tests === "test/chaos" ? [`${names[0]}: was retried, but needs retry: 0`] : []),
        `  ${tests}/flaky.test.ts: leaks once`,
        `  ${tests}/flaky.test.ts: broken`,
        expect.stringContaining(`  ${tests}/missing.test.ts: outside of a test: error: Cannot find module './missing.ts' from `),
        "seed 7: SEED=7 repeats the random events",
        "0 skipped",
        `${count + 1} passed, 3 failed`,
      ]);
      expect(summary.exitCode).toBe(code);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("upstream's suite", () => {
  const before = ["> csi-sidecars@0.1.0 test", "(pass) x", " 1 pass", " 2 skip", "Ran 3 tests across 1 file.", "> csi-sidecars@0.1.0 e2e"];

  test("its tests are counted with the others, and its failures named", () => {
    const suite = ["ci: 7 passed, 1 failed, 3 skipped in 9 s", "failed: [Testpattern: Dynamic PV] mounts", "7 passed, 1 failed, 3 skipped"];
    expect(summarize([...before, ...suite].join("\n"))).toMatchObject({
      passed: 8,
      failed: 1,
      skipped: 5,
      failures: ["e2e: [Testpattern: Dynamic PV] mounts"],
    });
  });

  test("one that cannot run here says so, one that ended early has failed", () => {
    expect(summarize([...before, "e2e: skipped: a node needs root"].join("\n"))).toMatchObject({ passed: 1, failures: [] });
    expect(summarize([...before, "e2e: containerd ended"].join("\n")).failures).toEqual(["e2e: the run ended here, without its totals"]);
  });

  test("other runs may print such lines", () => {
    const printed = ["> csi-sidecars@0.1.0 test", "failed: to say", "7 passed, 1 failed, 3 skipped", "Ran 1 test across 1 file."];
    expect(summarize(printed.join("\n"))).toMatchObject({ passed: 0, failed: 0, failures: [] });
  });
});
