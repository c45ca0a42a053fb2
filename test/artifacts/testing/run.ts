import { spawnSync } from "node:child_process";
import { binary } from "../../e2e/binary.ts";

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
