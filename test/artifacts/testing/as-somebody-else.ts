import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** Some user id that owns nothing and has no entry in the password file. */
const id = "54321";

/** A program that runs with no environment at all and without privileges: when the tests are run by root, as another user without capabilities. */
export class Unprivileged implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #output = "";

  constructor(program: string, args: readonly string[], cwd: string) {
    const drop = ["--reuid", id, "--regid", id, "--clear-groups", "--bounding-set=-all", "--no-new-privs"];
    const [command, all] = process.getuid?.() === 0 ? ["setpriv", [...drop, program, ...args]] : [program, args];
    this.#child = spawn(command, all, { cwd, env: {}, stdio: ["ignore", "pipe", "pipe"] });
    this.#closed = once(this.#child, "close");
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get output(): string {
    return this.#output;
  }

  async exit(): Promise<number | null> {
    await this.#closed;
    return this.#child.exitCode;
  }

  end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
    this.#child.kill(signal);
    return this.exit();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGKILL");
  }
}
