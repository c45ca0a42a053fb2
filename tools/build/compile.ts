import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "@csi-sidecars/base";

export interface Compilation extends BuildVersion {
  readonly root: string;
  /** What to compile: a folder with a main.ts, `cmd/csi-proxy`. */
  readonly program: string;
  /** Where the program goes. */
  readonly folder: string;
  readonly fileName: string;
  /** Precompiled: faster to start, larger. */
  readonly bytecode: boolean;
  /** Another platform than this machine's. */
  readonly platform?: { readonly bunTarget: string; readonly runtime: string };
}

/**
 * Compiles a program into one file and returns its path. The file is renamed into place, so a running one can be replaced; what the
 * compiler writes on the way stays out of the source tree.
 */
export function compile({ root, program, folder, fileName, ...what }: Compilation): string {
  mkdirSync(folder, { recursive: true });
  removeStaleFolders(folder);
  const buildFolder = mkdtempSync(join(folder, `${buildFolderPrefix}${process.pid}-`));
  try {
    // The file's name is part of the program, so it is built under its final name.
    const made = join(buildFolder, fileName);
    const args = ["build", ...options(what), join(root, program, "main.ts"), `--outfile=${made}`];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: buildFolder, encoding: "utf8" });
    if (status !== 0) throw new Error(`bun ${args.join(" ")} failed:\n${stderr}`);
    const outfile = join(folder, fileName);
    renameSync(made, outfile);
    return outfile;
  } finally {
    rmSync(buildFolder, { recursive: true, force: true });
  }
}

const buildFolderPrefix = ".building-";

/** Removes the folders of interrupted builds. */
function removeStaleFolders(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = new RegExp(`^\\${buildFolderPrefix}(\\d+)-`).exec(name)?.[1];
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

function options({
  version,
  commit,
  bytecode,
  platform,
}: Omit<Compilation, "root" | "program" | "folder" | "fileName">): readonly string[] {
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

export interface BuildVersion {
  readonly version: string;
  readonly commit: string | undefined;
  /** Whether it is built from what a release has: the tree of a tag, or its sources outside of git. */
  readonly isRelease: boolean;
}

/** The tag of a tagged commit; for any other commit the next version and the commit. Outside of git only the next version. */
export function buildVersion(root: string): BuildVersion {
  const git = (...args: string[]) => {
    const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
    return status === 0 ? stdout.trim() : undefined;
  };
  const commit = git("rev-parse", "HEAD");
  const tag = git("describe", "--exact-match", "--tags", "--match=v*");
  const dirty = git("status", "--porcelain") ? "-dirty" : "";
  const next = `v${JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version}`;
  if (!commit) return { version: next, commit: undefined, isRelease: true };
  if (tag && !dirty) return { version: tag, commit, isRelease: true };
  return { version: `${next}-dev-g${commit.slice(0, 10)}${dirty}`, commit, isRelease: false };
}
