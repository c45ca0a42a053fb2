import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Target } from "./targets.ts";

const run = promisify(execFile);

/**
 * The Bun executable of a platform: the package that our lockfile names, from the npm registry. Fetched and compared with the
 * lockfile once, then kept in the user's cache.
 */
export async function runtimeFor(target: Target, root: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { version, integrity } = lockedPackage(root, target.runtimePackage);
  const cache = join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "csi-sidecars", "runtimes");
  const folder = join(cache, `${target.name}-${version}-${createHash("sha256").update(integrity).digest("hex").slice(0, 12)}`);
  const executable = join(folder, "package", "bin", target.executable);
  if (existsSync(executable)) return executable;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, "fetch-"));
  try {
    await run("npm", ["pack", "--silent", `${target.runtimePackage}@${version}`, "--pack-destination", fresh], { env });
    const name = readdirSync(fresh).find((file) => file.endsWith(".tgz"));
    if (!name) throw new Error(`npm pack of ${target.runtimePackage} wrote no archive`);
    const archive = join(fresh, name);
    const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (found !== integrity) throw new Error(`${target.runtimePackage}@${version} is ${found}, but package-lock.json has ${integrity}`);
    await run("tar", ["-xzf", archive, "-C", fresh]);
    rmSync(archive);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return executable;
}

interface LockedPackage {
  readonly version: string;
  readonly integrity: string;
}

function lockedPackage(root: string, name: string): LockedPackage {
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const locked = lock.packages[`node_modules/${name}`];
  if (!locked) throw new Error(`package-lock.json does not name ${name}: run npm install`);
  return locked;
}
