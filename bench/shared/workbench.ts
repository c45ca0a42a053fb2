import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where a benchmark keeps what must not outlive it: a folder and processes. They go away with it, also on an error or ctrl-C. */
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

  /** Has `cleanup` called at the end; the last one added is the first. */
  defer(cleanup: () => Promise<void>): void {
    this.#cleanup.defer(cleanup);
  }

  /** Starts a program whose standard output is read by us; what it says on the error output is shown. */
  start(program: string, args: readonly string[]): ChildProcess {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#cleanup.defer(() => ended(child));
    return child;
  }

  /** Called by ctrl-C and by the failures that follow it, all wait for the same end. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= this.#cleanup.disposeAsync();
    return this.#ended;
  }
}

/** Ends a process, if it has not ended by itself, and waits until it is gone. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
