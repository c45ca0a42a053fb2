import { spawnSync } from "node:child_process";

export interface CommandOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program to its end and returns what it printed. Throws with its error output when it fails. */
export function runCommand(program: string, args: readonly string[], options: CommandOptions = {}): string {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28, ...options });
  if (error) throw error;
  if (status !== 0) throw new Error(`${[program, ...args].join(" ")} failed (${signal ?? `exit code ${status}`}): ${stderr.trim()}`);
  return stdout;
}
