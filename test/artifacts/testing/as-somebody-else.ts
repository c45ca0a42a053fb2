import { RunningProgram } from "../../running-program.ts";

/** Some user id that owns nothing and has no entry in the password file. */
const id = "54321";

/** A program that runs with no environment at all and without privileges: when the tests are run by root, as another user without capabilities. */
export class Unprivileged extends RunningProgram {
  constructor(program: string, args: readonly string[], cwd: string) {
    const drop = ["--reuid", id, "--regid", id, "--clear-groups", "--bounding-set=-all", "--no-new-privs"];
    const [command, all] = process.getuid?.() === 0 ? ["setpriv", [...drop, program, ...args]] : [program, args];
    super(command, all, { cwd, env: {} });
  }
}
