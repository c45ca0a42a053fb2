import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { binary } from "./binary.ts";
import { until } from "./until.ts";

/** A shipped program, running. */
export class SidecarProcess implements AsyncDisposable {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = "";
  #stdout = "";

  constructor(name: string, args: readonly string[], options: { program?: string; env?: Readonly<Record<string, string>> } = {}) {
    this.name = name;
    this.#child = spawn(binary(options.program), args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH ?? "", POD_NAME: name, POD_NAMESPACE: "default", ...options.env },
    });
    this.#ended = once(this.#child, "close");
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

  /** Waits until it has written the text. */
  async said(text: string, limitMs?: number): Promise<void> {
    await until(`${this.name} to say "${text}"`, () => this.#output.includes(text), limitMs).catch((error) => {
      throw new Error(`${error.message}; it said\n${this.#output}`);
    });
  }

  /** Asks it over HTTP, at the address that a flag made it listen on. */
  async get(path: string, flag = "http-endpoint"): Promise<readonly [status: number, body: string]> {
    const listening = () => new RegExp(`"HTTP server is listening" .*address="([^"]+)" flag="${flag}"`).exec(this.#output)?.[1];
    const address = await until(`${this.name} to listen for --${flag}`, listening);
    const response = await fetch(`http://${address.replace(/^(0\.0\.0\.0|\[::\])?:/, "127.0.0.1:")}${path}`);
    return [response.status, await response.text()];
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
