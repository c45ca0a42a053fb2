import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** A program of the tests in Go: a folder with its sources and module. */
export interface GoProgram {
  readonly folder: string;
  /** Of the executable. */
  readonly name: string;
  /** Where executables of it are kept, in the cache. */
  readonly cache: string;
  /** The module it is built with; default `go.mod`. */
  readonly module?: string;
}

/** Where {@link buildGoProgram} puts it for this machine, built from the present sources. */
export function goProgramPath({ folder, name, cache, module = "go.mod" }: GoProgram, env: NodeJS.ProcessEnv): string {
  const sources = createHash("sha256");
  const files = readdirSync(folder).filter((file) => file.endsWith(".go") || file === module);
  for (const file of files.sort()) sources.update(file).update(readFileSync(join(folder, file)));
  const caches = join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "csi-sidecars");
  return join(caches, cache, sources.digest("hex").slice(0, 12), name);
}

/** Builds it from the Go module proxy; the versions and flags of tools/envtest, because what both use is compiled once. */
export function buildGoProgram({ folder, module = "go.mod" }: GoProgram, target: string, env: NodeJS.ProcessEnv): void {
  const args = ["build", `-modfile=${module}`, "-gcflags", "all=-dwarf=false", "-ldflags", "-s -w", "-o", target, "."];
  const { status, stderr, error } = spawnSync("go", args, { cwd: folder, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`go ${args.join(" ")} failed:\n${error?.message ?? stderr}`);
}

/** Builds them for this machine, as `npm run <name>:build` does, and prints where they are. */
export function buildGoPrograms(programs: readonly GoProgram[]): void {
  if (Bun.which("go") === null) {
    console.error("Go is not installed");
    process.exit(1);
  }
  for (const program of programs) {
    const target = goProgramPath(program, process.env);
    buildGoProgram(program, target, process.env);
    console.log(target);
  }
}
