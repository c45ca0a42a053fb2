import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Glob } from "bun";

/** Runs in a process of its own: imports modules, and prints which processes that has started. */
const importAll = `
  import { readFileSync } from "node:fs";
  const children = () => ({
    running: readFileSync("/proc/self/task/" + process.pid + "/children", "utf8").trim(),
    // The page faults of children that have ended.
    ended: readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ")[8],
  });
  const before = { ...process.env };
  for (const file of JSON.parse(process.argv.at(-1))) await import(file);
  console.log(JSON.stringify({ ...children(), env: JSON.stringify(process.env) === JSON.stringify(before) }));
`;

function importInNewProcess(files: readonly string[], script = importAll) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", script, JSON.stringify(files)], {
    cwd: import.meta.dirname,
    encoding: "utf8",
    timeout: 20_000,
  });
  return { status, stdout: stdout.trim(), stderr: stderr.trim() };
}

const nothing = { status: 0, stdout: JSON.stringify({ running: "", ended: "0", env: true }), stderr: "" };

test.skipIf(process.platform !== "linux")("importing any module starts nothing, prints nothing and throws nothing", () => {
  const files = [...new Glob("**/*.ts").scanSync({ cwd: import.meta.dirname })]
    .filter((file) => !file.endsWith(".test.ts") && !file.includes("/testing/") && !file.startsWith("example/"))
    .map((file) => join(import.meta.dirname, file));
  expect(files.length).toBeGreaterThan(100);
  expect(importInNewProcess(files)).toEqual(nothing);
});

test.skipIf(process.platform !== "linux")("a process that is started would be seen", () => {
  const spawning = `Bun.spawnSync(["true"]); ${importAll}`;
  expect(JSON.parse(importInNewProcess([], spawning).stdout).ended).not.toBe("0");
  const running = `const child = Bun.spawn(["sleep", "20"]); ${importAll}; child.kill();`;
  expect(JSON.parse(importInNewProcess([], running).stdout).running).not.toBe("");
});
