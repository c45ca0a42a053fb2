import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";

/** Debian's compiler of C for Windows. */
export const mingw = "x86_64-w64-mingw32-gcc";

/** Wine for 64-bit programs: the loader itself, not Debian's script around it, so that a signal reaches the program. */
export function findWine(): string | undefined {
  return ["/usr/lib/wine/wine64", Bun.which("wine64") ?? ""].find((path) => existsSync(path));
}

/** The environment of programs in a Wine of their own: its drives and registry are a folder. */
export function wineEnv(prefix: string): Readonly<Record<string, string>> {
  const { HOME = "", PATH = "" } = process.env;
  // There is nobody to ask whether to install Mono and a browser; names of files are UTF-8.
  return { HOME, PATH, WINEPREFIX: prefix, WINEDEBUG: "-all", WINEDLLOVERRIDES: "mscoree,mshtml=", LC_ALL: "C.UTF-8" };
}

/** Makes a Wine. */
export async function startWine(prefix: string): Promise<void> {
  mkdirSync(prefix, { recursive: true });
  const { status, stderr } = spawnSync(findWine() ?? "", ["wineboot.exe", "--init"], { env: wineEnv(prefix), encoding: "utf8" });
  if (status !== 0) throw new Error(`wineboot failed:\n${stderr}`);
}

/**
 * Keeps Wine's own processes running between programs. They start with the first one and end with the last one, hold the output of the
 * program that started them, and take seconds to start.
 */
export function keepWineRunning(prefix: string, program: string): void {
  spawn(findWine() ?? "", [program], { env: wineEnv(prefix), stdio: ["pipe", "ignore", "ignore"] });
}

/** Ends everything that runs in a Wine. */
export function closeWine(prefix: string): void {
  if (existsSync(prefix)) spawnSync("wineserver", ["--kill", "--wait"], { env: wineEnv(prefix) });
}
