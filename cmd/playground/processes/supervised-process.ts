import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { type Clock, systemClock, type Timer } from "@csi-sidecars/base";
import type { Reaper } from "./reaper.ts";

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Everything it writes is appended here. */
  readonly logFile: string;
  readonly reaper: Reaper;
}

/** How long a process may take to exit after SIGTERM. */
const gracePeriodMs = 5_000;
const restartMs = { first: 200, most: 10_000 };
/** The restart backoff of a process that ran for this long is reset. */
const settledMs = 10_000;

/** A process that is restarted with backoff when it exits, as kubelet restarts a container. */
export class SupervisedProcess {
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

  /** How often it was restarted. */
  get restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  /** Whether it is to run, and is restarted when it exits. */
  get wanted(): boolean {
    return this.#wanted;
  }

  start(): void {
    this.#wanted = true;
    this.#restart?.cancel();
    if (!this.#child) this.#spawn();
  }

  /** Sends SIGKILL; it is restarted. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Stops it without a restart. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    this.#wanted = false;
    this.#restart?.cancel();
    await this.#end(signal);
  }

  /** The last lines of its log. */
  logTail(lines = 5): string {
    return readFileSync(this.#command.logFile, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
  }

  #spawn(): void {
    const { program, args, env, logFile, reaper } = this.#command;
    const log = openSync(logFile, "a", 0o600);
    // A process group of its own: Ctrl-C reaches only us, and we stop processes in the right order.
    const child = spawn(program, args, { env, stdio: ["ignore", log, log], detached: true });
    closeSync(log);
    const { pid } = child;
    if (pid !== undefined) reaper.started(pid);
    this.#child = child;
    this.#starts++;
    const began = this.#clock.monotonic();
    const ended = () => {
      if (this.#child !== child) return;
      if (pid !== undefined) reaper.ended(pid);
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
    const killTimer = this.#clock.after(gracePeriodMs, () => child.kill("SIGKILL"));
    await gone;
    killTimer.cancel();
  }
}
