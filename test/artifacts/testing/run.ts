import { spawnSync } from "node:child_process";
import { binary } from "../../e2e/testing/binary.ts";
import { RunningProgram } from "../../running-program.ts";

export interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a shipped program to its end, without any environment unless given. */
export function run(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>>; readonly program?: string } = {},
): Outcome {
  const { cwd, env = {}, program } = options;
  const { status, stdout, stderr, error } = spawnSync(binary(program), args, {
    env: { ...env },
    encoding: "utf8",
    timeout: 10_000,
    ...(cwd && { cwd }),
  });
  if (error) throw error;
  return { exitCode: status, stdout, stderr };
}

/** A user id that owns nothing and has no entry in the password file. */
const id = "54321";

/** A program without environment and privileges: as root, it is started as another user without capabilities. */
export class Unprivileged extends RunningProgram {
  constructor(program: string, args: readonly string[], cwd: string) {
    const drop = ["--reuid", id, "--regid", id, "--clear-groups", "--bounding-set=-all", "--no-new-privs"];
    const [command, all] = process.getuid?.() === 0 ? ["setpriv", [...drop, program, ...args]] : [program, args];
    super(command, all, { cwd, env: {} });
  }
}
