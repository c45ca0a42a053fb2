import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A running program of the control plane, its output in a log file. */
export interface Program {
  readonly name: string;
  readonly pid: number;
  /** Ends it and waits until it is gone; `SIGKILL` stands for a crash. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Rejects as soon as the program has ended, with the end of its log. */
  readonly failed: Promise<never>;
}

/** Is told which processes run, to end them should this process be killed. */
export interface ProcessWatch {
  started(pid: number): void;
  ended(pid: number): void;
}

/** Starts a program. With a watch it has a process group of its own: Ctrl-C does not reach it, it is ended in its turn. */
export function startProgram(name: string, path: string, args: readonly string[], logFile: string, watch?: ProcessWatch): Program {
  const log = openSync(logFile, "a");
  const child = spawn(path, args, { stdio: ["ignore", log, log], detached: watch !== undefined });
  closeSync(log);
  const pid = child.pid ?? 0;
  if (pid > 0) watch?.started(pid);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const failed = ended.then((): never => {
    watch?.ended(pid);
    throw new Error(`${name} ended (${describeEnd(child)}):\n${tail(logFile)}`);
  });
  failed.catch(() => {});
  return {
    name,
    pid,
    failed,
    async stop(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
  };
}

function describeEnd(child: ChildProcess): string {
  return child.signalCode ? `signal ${child.signalCode}` : `exit code ${child.exitCode}`;
}

function tail(file: string): string {
  return readFileSync(file, "utf8").split("\n").slice(-15).join("\n");
}

/** Waits until a URL answers 200. A program that is still starting refuses connections; one that never comes up ends in the time limit. */
export async function waitForUrl(
  url: string,
  options: { ca?: () => string; token?: string; limitMs?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const limit = performance.now() + (options.limitMs ?? 60_000);
  for (let last = "no answer"; performance.now() < limit; await sleep(50)) {
    options.signal?.throwIfAborted();
    try {
      const answer = await fetch(url, {
        signal: AbortSignal.timeout(2_000),
        headers: options.token ? { authorization: `Bearer ${options.token}` } : {},
        ...(options.ca ? { tls: { ca: options.ca() } } : {}),
      });
      if (answer.ok) return;
      last = `${answer.status} ${await answer.text()}`;
    } catch (error) {
      last = String(error);
    }
    if (performance.now() + 50 >= limit) throw new Error(`${url} did not become ready: ${last}`);
  }
}
