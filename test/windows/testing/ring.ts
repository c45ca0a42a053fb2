import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { StubFolder } from "../../csi-proxy/testing/stub-folder.ts";
import { RunningProgram } from "../../running-program.ts";
import { findWine, wineEnv } from "./wine.ts";

/** What `npm run test:windows` built; elsewhere there is none, and tests that need it are skipped. */
const ring = process.env.WINDOWS_RING;

export const why = ring === undefined ? " (skipped: `npm run test:windows` runs it)" : "";

export const programsOf = (folder: string) => join(folder, "programs");
export const goClientName = (version: string) => `${version.replaceAll(" ", "-")}.exe`;
export const hasProgram = (name: string) => ring !== undefined && existsSync(join(programsOf(ring), name));

const prefix = join(ring ?? "", "prefix");
const driveC = join(prefix, "drive_c");

/** Starts a program of the ring. An argument `./file` is a file beside the program. */
export function startWindowsProgram(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningProgram {
  return new RunningProgram(findWine() ?? "", [join(programsOf(ring ?? ""), name), ...args], {
    cwd: programsOf(ring ?? ""),
    env: { ...wineEnv(prefix), ...env },
  });
}

/** A folder on drive C with a program that stands in for PowerShell; and the path of the folder as programs for Windows know it. */
export class WindowsFolder extends StubFolder {
  readonly windowsPath: string;

  constructor() {
    mkdirSync(join(driveC, "tests"), { recursive: true });
    super(mkdtempSync(join(driveC, "tests", "csi-proxy-")));
    this.windowsPath = `C:\\tests\\${basename(this.path)}`;
    copyFileSync(join(programsOf(ring ?? ""), "powershell.exe"), join(this.path, "powershell.exe"));
  }

  get powershell(): string {
    return `${this.windowsPath}\\powershell.exe`;
  }

  /** Where the test finds a path of drive C. */
  onDisk(path: string): string {
    return join(driveC, path.replace("C:\\", "").replaceAll("\\", "/"));
  }

  override [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}
