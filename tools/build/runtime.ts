import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Target } from "./targets.ts";

/** The Bun executable of a platform at our own version, from the npm registry; fetched once and kept in the user's cache. */
export function runtimeFor(target: Target, env: NodeJS.ProcessEnv): string {
  const cache = join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "csi-sidecars", "bun", Bun.version);
  const folder = join(cache, target.name);
  const executable = join(folder, "package", "bin", target.executable);
  if (existsSync(executable)) return executable;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, "fetch-"));
  try {
    command("npm", ["pack", "--silent", `${target.runtimePackage}@${Bun.version}`, "--pack-destination", fresh]);
    const archive = readdirSync(fresh).find((name) => name.endsWith(".tgz"));
    if (!archive) throw new Error(`npm pack of ${target.runtimePackage} wrote no archive`);
    command("tar", ["-xzf", join(fresh, archive), "-C", fresh]);
    rmSync(join(fresh, archive));
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return executable;
}

function command(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${stderr}`);
}
