import { execFile } from "node:child_process";
import { systemErrorCode } from "@csi-sidecars/base";

/** Runs a program of the host and gives what it wrote; a failure carries the program's own words. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

/** Runs it as a child of this process. */
export const runProgram: RunProgram = (program, args) =>
  new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const missing = systemErrorCode(error) === "ENOENT";
      const reason = missing ? "the program is not installed" : stderr.trim() || error.message;
      reject(new Error(`${program} failed: ${reason}`, { cause: error }));
    });
  });
