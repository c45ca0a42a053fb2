import { spawn } from "node:child_process";

/** Runs a program of the host and gives what it wrote; a failure carries the program's own words. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

/** A program that ended otherwise than with 0. */
export class ProgramFailure extends Error {
  override readonly name = "ProgramFailure";
  /** What it ended with; none when a signal ended it, or it could not be started. */
  readonly status: number | undefined;
  /** The last of what it said. */
  readonly words: string;

  constructor(program: string, words: string, status?: number) {
    super(`${program} failed: ${words}`);
    this.status = status;
    this.words = words;
  }
}

/** A program may have a word for each of a million files: the last of them are enough. */
const mostWords = 16 * 1024;

/** Runs it as a child of this process. */
export const runProgram: RunProgram = (program, args) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let [output, words] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(-mostWords);
    });
    child.once("error", (error: NodeJS.ErrnoException) => {
      reject(new ProgramFailure(program, error.code === "ENOENT" ? "the program is not installed" : error.message));
    });
    child.once("close", (status, signal) => {
      if (status === 0) resolve(output);
      else reject(new ProgramFailure(program, words.trim() || `it ended with ${signal ?? status}`, status ?? undefined));
    });
  });
