import { spawnSync } from "node:child_process";
import { findWine, mingw } from "./testing/wine.ts";

/** The packages of Debian 12 that the tests need and this machine lacks: Wine, and a compiler of C for Windows. */
export function missingPackages(): readonly string[] {
  return [...(findWine() === undefined ? ["wine", "wine64"] : []), ...(Bun.which(mingw) === null ? ["gcc-mingw-w64-x86-64-win32"] : [])];
}

/** Installs packages, and says why where that is not possible. */
export function install(packages: readonly string[]): string | undefined {
  if (packages.length === 0) return undefined;
  const names = packages.join(" ");
  if (Bun.which("apt-get") === null) return `${names} cannot be installed without apt-get`;
  if (process.geteuid?.() !== 0) return `${names} can only be installed by root`;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const aptGet = (...args: readonly string[]) => spawnSync("apt-get", ["--quiet", "--quiet", ...args], { env, encoding: "utf8" });
  aptGet("update");
  const { status, stderr } = aptGet("install", "--yes", "--no-install-recommends", ...packages);
  return status === 0 ? undefined : `apt-get cannot install ${names}: ${stderr.trim().split("\n").at(-1)}`;
}
