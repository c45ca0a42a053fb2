import { spawn } from "node:child_process";

/** Runs a program and returns its standard output; a failure has its standard error. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

/** A program that did not exit with 0. */
export class ProgramFailure extends Error {
  override readonly name = "ProgramFailure";
  /** The exit status; undefined if a signal ended it, or if it could not be started. */
  readonly status: number | undefined;
  /** The end of its standard error. */
  readonly stderr: string;

  constructor(program: string, stderr: string, status?: number) {
    super(`${program} failed: ${stderr}`);
    this.status = status;
    this.stderr = stderr;
  }
}

/** A program may write a line for each of a million files: the end is enough. */
const maxStderr = 16 * 1024;

/** Runs it as a child of this process. */
export const runProgram: RunProgram = (program, args) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let [output, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-maxStderr);
    });
    child.once("error", (error: NodeJS.ErrnoException) => {
      reject(new ProgramFailure(program, error.code === "ENOENT" ? "the program is not installed" : error.message));
    });
    child.once("close", (status, signal) => {
      if (status === 0) resolve(output);
      else reject(new ProgramFailure(program, stderr.trim() || `it ended with ${signal ?? status}`, status ?? undefined));
    });
  });

/** Limits how many programs run at a time: a thousand copies at once would exhaust processes and file handles. */
export function limitConcurrency(run: RunProgram, most: number): RunProgram {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (program, args) => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go));
    else running++;
    try {
      return await run(program, args);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
