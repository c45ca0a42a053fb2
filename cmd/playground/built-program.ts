import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Refusal } from "./refusal.ts";

/** What the program is made of. */
const sources = ["cmd/csi-sidecars", "components", "packages/base", "packages/csi", "packages/host", "packages/kube"];

/** The path of the shipped program, built first if it is missing or older than its sources. */
export async function builtProgram(root: string, tell: (line: string) => void, signal: AbortSignal): Promise<string> {
  const program = join(root, "dist", "csi-sidecars");
  const made = statSync(program, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (made > newestSource(root)) return program;
  tell("Building dist/csi-sidecars ...");
  const build = spawn(process.execPath, [join(root, "tools/build/build.ts")], { cwd: root, stdio: ["ignore", "ignore", "pipe"], signal });
  const [complaint, [code, endedBy]] = await Promise.all([text(build.stderr), once(build, "exit")]);
  // Ctrl-C goes to the build too, which may be gone before this process has heard of it.
  if (endedBy !== null) throw new Refusal("interrupted while building", 130);
  if (code !== 0) throw new Error(`npm run build failed:\n${complaint}`);
  return program;
}

function newestSource(root: string): number {
  const files = sources.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("node_modules"))
      .map((file) => join(root, folder, file)),
  );
  return Math.max(...[join(root, "package-lock.json"), ...files].map((file) => statSync(file).mtimeMs));
}
