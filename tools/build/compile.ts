import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "@csi-sidecars/base";
import type { BuildVersion } from "./version.ts";

export interface Compilation extends BuildVersion {
  readonly root: string;
  /** Where the program goes. */
  readonly folder: string;
  readonly fileName: string;
  /** Compiled ahead: faster to start, larger. */
  readonly bytecode: boolean;
  /** Another platform than this machine's. */
  readonly platform?: { readonly bunTarget: string; readonly runtime: string };
}

/**
 * Makes the program's one file and returns its path. The file appears complete or not at all, so a running one can be replaced; what the
 * compiler writes on the way stays out of the source tree.
 */
export function compile({ root, folder, fileName, ...what }: Compilation): string {
  mkdirSync(folder, { recursive: true });
  clearAway(folder);
  const workshop = mkdtempSync(join(folder, `${workshopPrefix}${process.pid}-`));
  try {
    // The file's name is part of the program: it is made under its own name.
    const made = join(workshop, fileName);
    const args = ["build", ...options(what), join(root, "cmd/csi-sidecars/main.ts"), `--outfile=${made}`];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: workshop, encoding: "utf8" });
    if (status !== 0) throw new Error(`bun ${args.join(" ")} failed:\n${stderr}`);
    const outfile = join(folder, fileName);
    renameSync(made, outfile);
    return outfile;
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

const workshopPrefix = ".building-";

/** Removes what builds left that were interrupted. */
function clearAway(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = new RegExp(`^\\${workshopPrefix}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === "EPERM";
  }
}

function options({ version, commit, bytecode, platform }: Omit<Compilation, "root" | "folder" | "fileName">): readonly string[] {
  return [
    "--compile",
    "--minify",
    ...(bytecode ? ["--bytecode"] : []),
    // A privileged process reads no file from its working directory.
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    ...(platform ? [`--target=${platform.bunTarget}`, `--compile-executable-path=${platform.runtime}`] : []),
    `--define=BUILD_VERSION=${JSON.stringify(version)}`,
    ...(commit ? [`--define=BUILD_COMMIT=${JSON.stringify(commit)}`] : []),
  ];
}
