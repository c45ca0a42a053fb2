import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { UserError } from "./user-error.ts";

/** Packages that are not part of the program. */
const notShipped = ["hostpath", "testcluster"];

/** The path of the shipped program, built first if it is missing or older than its sources. */
export async function builtProgram(root: string, print: (line: string) => void, signal: AbortSignal): Promise<string> {
  const program = join(root, "dist", "csi-sidecars");
  const builtAt = statSync(program, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (builtAt > newestSource(root)) return program;
  print("Building dist/csi-sidecars ...");
  const build = spawn(process.execPath, [join(root, "tools/build/build.ts")], { cwd: root, stdio: ["ignore", "ignore", "pipe"], signal });
  const [stderr, [code, endedBy]] = await Promise.all([text(build.stderr), once(build, "exit")]);
  // Ctrl-C reaches the build too, which may exit before this process gets its own signal.
  if (endedBy !== null) throw new UserError("interrupted while building", 130);
  if (code !== 0) throw new Error(`npm run build failed:\n${stderr}`);
  return program;
}

function newestSource(root: string): number {
  const packages = readdirSync(join(root, "packages")).filter((name) => !notShipped.includes(name));
  const sources = ["cmd/csi-sidecars", "components", ...packages.map((name) => join("packages", name))];
  const files = sources.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("node_modules"))
      .map((file) => join(root, folder, file)),
  );
  return Math.max(...[join(root, "package-lock.json"), ...files].map((file) => statSync(file).mtimeMs));
}
