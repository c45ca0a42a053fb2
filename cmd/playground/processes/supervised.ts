import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { type Clock, systemClock, type Timer } from "@csi-sidecars/base";
import type { Caretaker } from "./caretaker.ts";

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Everything it writes is appended here. */
  readonly logFile: string;
  readonly caretaker: Caretaker;
}

/** How long a program may take to end when it is asked to. */
const politeMs = 5_000;
const restartMs = { first: 200, most: 10_000 };
/** One that ran so long before it ended is started again without delay. */
const settledMs = 10_000;

/** A program that is started again when it ends, as a kubelet does with a container. */
export class Supervised {
  readonly #command: Command;
  readonly #clock: Clock;
  #child: ChildProcess | undefined;
  #wanted = false;
  #restart: Timer | undefined;
  #delay = restartMs.first;
  #starts = 0;

  constructor(command: Command, clock: Clock = systemClock) {
    this.#command = command;
    this.#clock = clock;
  }

  /** `undefined` while it does not run. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** How often it was started again. */
  get restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  start(): void {
    this.#wanted = true;
    this.#restart?.cancel();
    if (!this.#child) this.#spawn();
  }

  /** Ends it without a last word, as the kernel would; it comes back by itself. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Ends it and keeps it so. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    this.#wanted = false;
    this.#restart?.cancel();
    await this.#end(signal);
  }

  /** The last lines that it wrote. */
  lastWords(lines = 5): string {
    return readFileSync(this.#command.logFile, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
  }

  #spawn(): void {
    const { program, args, env, logFile, caretaker } = this.#command;
    const log = openSync(logFile, "a", 0o600);
    // A process group of its own: Ctrl-C is for us alone, we end it in the right order.
    const child = spawn(program, args, { env, stdio: ["ignore", log, log], detached: true });
    closeSync(log);
    const { pid } = child;
    if (pid !== undefined) caretaker.started(pid);
    this.#child = child;
    this.#starts++;
    const began = this.#clock.monotonic();
    const ended = () => {
      if (this.#child !== child) return;
      if (pid !== undefined) caretaker.ended(pid);
      this.#child = undefined;
      if (!this.#wanted) return;
      if (this.#clock.monotonic() - began > settledMs) this.#delay = restartMs.first;
      this.#restart = this.#clock.after(this.#delay, () => this.#spawn());
      this.#delay = Math.min(2 * this.#delay, restartMs.most);
    };
    child.once("exit", ended);
    child.once("error", ended);
  }

  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#child;
    if (!child?.pid) return;
    const gone = once(child, "exit");
    child.kill(signal);
    const impatient = this.#clock.after(politeMs, () => child.kill("SIGKILL"));
    await gone;
    impatient.cancel();
  }
}
