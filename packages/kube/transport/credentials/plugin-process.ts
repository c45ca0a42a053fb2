import { type ChildProcess, spawn } from "node:child_process";
import type { Clock } from "@csi-sidecars/base";
import { readFailure } from "../../config/files.ts";

export interface PluginProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** It may use the terminal: it stays in our process group, and has as much time as the user needs. */
  readonly interactive: boolean;
}

const maxOutputBytes = 1024 * 1024;
/** As long as a request may wait for it. */
const maxRunMs = 60_000;
/** Between SIGTERM and SIGKILL; also how long a pipe may stay open after the plugin has ended. */
const graceMs = 1_000;

/**
 * What a program prints until it ends with exit code 0; it inherits stderr. `signal`, too much output and too long a run end it
 * together with everything it has started. Rejects with an error that says what happened.
 */
export function outputOf(plugin: PluginProcess, clock: Clock, signal: AbortSignal): Promise<string> {
  const { command, args, env, interactive } = plugin;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (problem: string) => reject(new Error(problem));
  const child = spawn(command, args, {
    env: { ...env },
    stdio: [interactive ? "inherit" : "ignore", "pipe", "inherit"],
    detached: !interactive,
    windowsHide: true,
  });
  let output = "";
  let stopped = false;
  const stop = (problem: string) => {
    if (stopped) return;
    stopped = true;
    fail(problem);
    endTree(child, !interactive, clock);
  };
  const limit = interactive ? undefined : clock.after(maxRunMs, () => stop(`did not end within ${maxRunMs / 1000} s`));
  const onAbort = () => stop("stopped");
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    if (output.length + text.length > maxOutputBytes) stop(`printed more than ${maxOutputBytes / 1024 / 1024} MiB`);
    else output += text;
  });
  child.on("error", (error) => fail(`cannot be run: ${readFailure(error)}; install it, or correct users[].user.exec.command`));
  child.on("exit", (code, killedBy) => {
    // Something that it has started may hold the pipe for as long as it likes.
    const drain = clock.after(graceMs, () => child.stdout?.destroy());
    child.once("close", () => drain.cancel());
    if (code !== 0) fail(killedBy ? `was ended by ${killedBy}` : `failed with exit code ${code}; it may have said why on stderr`);
  });
  child.on("close", () => resolve(output));
  return promise.finally(() => {
    limit?.cancel();
    signal.removeEventListener("abort", onAbort);
  });
}

/** Ends a process and, where it has a process group of its own, all that it has started: they may live on when it has ended. */
function endTree(child: ChildProcess, ownGroup: boolean, clock: Clock): void {
  const { pid } = child;
  const group = ownGroup && pid !== undefined && process.platform !== "win32" ? -pid : undefined;
  const kill = (signal: "SIGTERM" | "SIGKILL" | 0) => {
    try {
      return group === undefined ? child.kill(signal) : process.kill(group, signal);
    } catch {
      return false;
    }
  };
  kill("SIGTERM");
  const last = clock.after(graceMs, () => {
    kill("SIGKILL");
    child.stdout?.destroy();
  });
  child.once("close", () => {
    const isAnybodyLeft = group !== undefined && kill(0);
    if (!isAnybodyLeft) last.cancel();
  });
}
