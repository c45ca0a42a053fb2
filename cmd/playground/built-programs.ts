import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { UserError } from "./user-error.ts";

/** Packages that are not part of the program. */
const notShipped = ["hostpath", "testcluster"];

/** The paths of the shipped programs. */
export interface Programs {
  readonly sidecars: string;
  readonly snapshotController: string;
}

const names = ["csi-sidecars", "snapshot-controller"] as const;

/** The shipped programs, built first if one is missing or older than its sources. */
export async function builtPrograms(root: string, print: (line: string) => void, signal: AbortSignal): Promise<Programs> {
  const [sidecars, snapshotController] = names.map((name) => join(root, "dist", name)) as [string, string];
  const programs = { sidecars, snapshotController };
  const builtAt = [sidecars, snapshotController].map((program) => statSync(program, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (Math.min(...builtAt) > newestSource(root)) return programs;
  print(`Building ${names.map((name) => `dist/${name}`).join(" and ")} ...`);
  const build = spawn(process.execPath, [join(root, "tools/build/build.ts")], { cwd: root, stdio: ["ignore", "ignore", "pipe"], signal });
  const [stderr, [code, endedBy]] = await Promise.all([text(build.stderr), once(build, "exit")]);
  // Ctrl-C reaches the build too, which may exit before this process gets its own signal.
  if (endedBy !== null) throw new UserError("interrupted while building", 130);
  if (code !== 0) throw new Error(`npm run build failed:\n${stderr}`);
  return programs;
}

function newestSource(root: string): number {
  const packages = readdirSync(join(root, "packages")).filter((name) => !notShipped.includes(name));
  const sources = [...names.map((name) => join("cmd", name)), "components", ...packages.map((name) => join("packages", name))];
  const files = sources.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(ts|html)$/.test(file) && !file.endsWith(".test.ts") && !file.includes("node_modules"))
      .map((file) => join(root, folder, file)),
  );
  return Math.max(...[join(root, "package-lock.json"), ...files].map((file) => statSync(file).mtimeMs));
}
