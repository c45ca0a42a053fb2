import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A running program and its output. */
export class RunningProgram implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #output = "";
  #stdout = "";

  constructor(
    program: string,
    args: readonly string[],
    options: { readonly cwd?: string; readonly env: Readonly<Record<string, string>> },
  ) {
    this.#child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    this.#closed = once(this.#child, "close");
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
      this.#output += text;
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Everything it has written so far. */
  get output(): string {
    return this.#output;
  }

  get stdout(): string {
    return this.#stdout;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for its exit code. */
  async exit(): Promise<number | null> {
    await this.#closed;
    return this.#child.exitCode;
  }

  /** Sends the signal and waits for the exit code (`null` after SIGKILL). */
  end(signal: "SIGTERM" | "SIGKILL" | "SIGINT" = "SIGTERM"): Promise<number | null> {
    if (this.running) this.signal(signal);
    return this.exit();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGKILL");
  }
}
