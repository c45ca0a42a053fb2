import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The temporary folder and the child processes of a benchmark. They are removed with it, also after an error or ctrl-C. */
export class Workbench implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "csi-sidecars-bench-"));
  readonly #cleanup = new AsyncDisposableStack();
  #ended: Promise<void> | undefined;

  constructor() {
    this.#cleanup.defer(() => rmSync(this.folder, { recursive: true, force: true }));
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.on(signal, () => void this[Symbol.asyncDispose]().finally(() => process.exit(130)));
  }

  /** A path in the folder. */
  path(name: string): string {
    return join(this.folder, name);
  }

  /** Calls `cleanup` at the end, in reverse order. */
  defer(cleanup: () => Promise<void>): void {
    this.#cleanup.defer(cleanup);
  }

  /** Starts a program whose standard output is piped to us. Its standard error is inherited. */
  start(program: string, args: readonly string[]): ChildProcess {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#cleanup.defer(() => ended(child));
    return child;
  }

  /** Called by ctrl-C and by the failures that follow it; all of them wait for the same cleanup. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= this.#cleanup.disposeAsync();
    return this.#ended;
  }
}

/** Kills a process, if it has not exited by itself, and waits for its end. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
