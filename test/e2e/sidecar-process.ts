import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { binary } from "./binary.ts";

/** A shipped program, running. */
export class SidecarProcess implements AsyncDisposable {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = "";

  constructor(name: string, args: readonly string[], options: { program?: string; env?: Readonly<Record<string, string>> } = {}) {
    this.name = name;
    this.#child = spawn(binary(options.program), args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH ?? "", POD_NAME: name, POD_NAMESPACE: "default", ...options.env },
    });
    this.#ended = once(this.#child, "close");
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

  /** Everything it has written so far. */
  get output(): string {
    return this.#output;
  }

  /** Sends the signal, waits for the end and returns the exit code (`null` after a kill). */
  async end(signal: "SIGTERM" | "SIGKILL" | "SIGINT" = "SIGTERM"): Promise<number | null> {
    if (this.running) this.#child.kill(signal);
    return this.exit();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for the end. */
  async exit(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGKILL");
  }
}
