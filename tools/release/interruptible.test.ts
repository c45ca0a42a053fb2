import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@csi-sidecars/base/testing";

const script = (folder: string) => `
import { writeFileSync } from "node:fs";
import { interruptible } from "${join(import.meta.dirname, "interruptible.ts")}";
import { runTool } from "${join(import.meta.dirname, "run-tool.ts")}";
try {
  await interruptible((signal) => runTool("${folder}", ["tool.ts"], signal));
} catch (error) {
  writeFileSync("${folder}/taken-back", error.message);
  process.exitCode = error.exitCode;
}
`;

/** A tool that waits for a program of its own. */
const tool = `
const child = Bun.spawn(["sleep", "600"]);
await Bun.write(import.meta.dirname + "/pid", String(child.pid));
await child.exited;
`;

test.skipIf(process.platform !== "linux").each(["SIGINT", "SIGTERM"] as const)(
  "%s ends what was started, and what was begun is taken back",
  async (signal) => {
    const folder = mkdtempSync(join(tmpdir(), "interruptible-"));
    try {
      writeFileSync(join(folder, "tool.ts"), tool);
      writeFileSync(join(folder, "main.ts"), script(folder));
      const child = spawn(process.execPath, [join(folder, "main.ts")], { stdio: "ignore" });
      const ended = once(child, "exit");
      const pid = await until(
        "the tool runs",
        () => (existsSync(join(folder, "pid")) && readFileSync(join(folder, "pid"), "utf8")) || undefined,
      );
      child.kill(signal);
      expect(await ended).toEqual([signal === "SIGINT" ? 130 : 143, null]);
      expect(readFileSync(join(folder, "taken-back"), "utf8")).toBe(`interrupted by ${signal}`);
      // A process that ended and that nobody has waited for yet has no command line any more.
      expect(existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "").toBe("");
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
