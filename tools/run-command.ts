import { messageOf } from "@csi-sidecars/base";
import { UserError } from "../cmd/playground/user-error.ts";

type Run = (argv: readonly string[]) => number | undefined | Promise<number | undefined>;

/** Runs a command of this repository, which may answer its exit code: `--help` says what it does, and a mistake of the user is one sentence. */
export async function runCommand(name: string, help: string, run: Run): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv.includes("--help")) {
    console.log(help);
    return;
  }
  try {
    process.exitCode = (await run(argv)) ?? 0;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(`${name}: ${error.message}`);
    process.exitCode = error.exitCode;
  }
}

/** What `parseArgs` refuses is the user's mistake. */
export function readArguments<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UserError(messageOf(error), 2);
  }
}
