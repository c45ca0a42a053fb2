import { type ChildProcess, spawn } from "node:child_process";
import { asError, type Clock, deferred } from "@csi-sidecars/base";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { StderrText } from "./stderr-text.ts";

/** How long a pipe may stay open after its process has ended, held by something that the process has started. */
const drainMs = 5_000;

/** How a process ended. */
export type ProcessEnd = { readonly exitCode: number | null; readonly signal: string | null } | { readonly notStarted: Error };

export interface PowershellProcess {
  /** The first part of what it wrote to stderr. */
  readonly stderr: StderrText;
  /** Resolves when it is gone and everything it printed was read. */
  readonly ended: Promise<ProcessEnd>;
  /** Only for a process that was started with an input. */
  write(line: string): void;
  endInput(): void;
  kill(): void;
}

export interface PowershellCommand {
  readonly path: string;
  readonly script: string;
  readonly env: Record<string, string>;
  /** Whether it reads requests. An input that is open but unused can make powershell.exe wait. */
  readonly hasInput: boolean;
  readonly onOutput: (chunk: Buffer) => void;
}

/** The PowerShell of Windows by its absolute path: a search through `PATH` could find another program. */
export function systemPowershell(env: Readonly<Record<string, string | undefined>>): string {
  const root = env.SystemRoot || "C:\\Windows";
  return `${root}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`;
}

/** The error of a process that never ran. */
export function notStarted(cause: Error): CsiProxyError {
  return new CsiProxyError("Unavailable", `powershell could not be started: ${cause.message}`, { cause });
}

/** Starts PowerShell with a constant script. Nothing that a caller says is part of the command line. */
export function startPowershell({ path, script, env, hasInput, onOutput }: PowershellCommand, clock: Clock): PowershellProcess {
  const stderr = new StderrText();
  const { promise: ended, resolve } = deferred<ProcessEnd>();
  let child: ChildProcess | undefined;
  try {
    child = spawn(path, ["-NoLogo", "-NoProfile", "-NonInteractive", "-Mta", "-OutputFormat", "Text", "-Command", script], {
      env,
      stdio: [hasInput ? "pipe" : "ignore", "pipe", "pipe"],
      windowsHide: true,
      shell: false,
    });
  } catch (error) {
    resolve({ notStarted: asError(error) });
  }
  child?.on("error", (error) => {
    // A process that runs also reports that it could not be killed.
    if (child.pid === undefined) resolve({ notStarted: error });
  });
  child?.stdin?.on("error", () => {}); // It has ended: that is reported by itself.
  child?.stdout?.on("data", onOutput);
  child?.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
  child?.once("exit", (exitCode, signal) => {
    const drained = clock.after(drainMs, () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    });
    child.once("close", () => {
      drained.cancel();
      resolve({ exitCode, signal });
    });
  });
  return {
    stderr,
    ended,
    write: (line) => child?.stdin?.write(line),
    endInput: () => child?.stdin?.end(),
    kill: () => child?.kill("SIGKILL"),
  };
}
