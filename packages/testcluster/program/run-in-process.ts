import { devNull } from "node:os";
import { type Clock, systemClock } from "@csi-sidecars/base";
import { type Component, type ProcessEnv, realProcessEnv, runProgram } from "@csi-sidecars/host";
import { ConditionVariable } from "../condition-variable.ts";

export interface RunOptions extends Partial<Pick<ProcessEnv, "env" | "hostName" | "intercept">> {
  readonly form?: "all-in-one" | "individual";
  readonly clock?: Clock;
}

/** A program of this project that runs inside the test, with the real manager around its components. */
export interface ProgramRun extends AsyncDisposable {
  /** Resolves when it has ended. */
  readonly exit: Promise<number>;
  /** All it wrote. */
  output(): string;
  /** As if the process received the signal. */
  signal(name?: "SIGTERM" | "SIGINT"): void;
  /** Resolves when it has written something that matches. */
  wrote(what: string | RegExp, ms?: number): Promise<void>;
  /** The URL of its first HTTP listener, or of another one, in the order of its log lines. */
  url(listener?: number): Promise<string>;
}

/**
 * Runs components as their program would, from its command line. Stopped at the end of the block.
 *
 * ```ts
 * await using run = await runInProcess([livenessprobe], ["--csi-address", driver.address, "--http-endpoint=127.0.0.1:0"]);
 * const response = await fetch(`${await run.url()}/healthz`);
 * ```
 */
export async function runInProcess(
  components: readonly Component[],
  argv: readonly string[],
  options: RunOptions = {},
): Promise<ProgramRun> {
  const { form = "individual", clock = systemClock, env = {}, intercept } = options;
  const name = form === "all-in-one" ? "csi-sidecars" : (components[0]?.standalone ?? "");
  const changes = new ConditionVariable();
  const listeners = new Set<(signal: string) => void>();
  let text = "";
  const sink = {
    write(chunk: string) {
      text += chunk;
      changes.changed();
    },
    flush() {},
  };
  const { startStallTimer: _, ...processEnv } = realProcessEnv();
  const exit = runProgram(
    { name, version: "v1.2.3", form, components },
    {
      ...processEnv,
      ...{ argv, clock, env, intercept, stdout: sink, stderr: sink, terminationLog: devNull },
      ...(options.hostName && { hostName: options.hostName }),
      signals(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      faults: () => () => {},
    },
  );
  exit.catch(() => undefined);
  const signal = (which: "SIGTERM" | "SIGINT" = "SIGTERM") => {
    for (const listener of [...listeners]) listener(which);
  };
  const wrote = (what: string | RegExp, ms = 20_000) =>
    changes.until(
      () => (typeof what === "string" ? text.includes(what) : what.test(text)),
      ms,
      () => `the program wrote ${what}: ${text}`,
    );
  return {
    exit,
    output: () => text,
    signal,
    wrote,
    async url(listener = 0) {
      await wrote(new RegExp(`(?:"HTTP server is listening"[\\s\\S]*){${listener + 1}}`));
      const lines = text.split("\n").filter((line) => line.includes('"HTTP server is listening"'));
      const address = / address="([^"]+)"/.exec(lines[listener] ?? "")?.[1] ?? "";
      return `http://${address.replace(/^(0\.0\.0\.0|\[::\])?:/, "127.0.0.1:")}`;
    },
    async [Symbol.asyncDispose]() {
      signal();
      await exit;
    },
  };
}
