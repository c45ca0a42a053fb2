import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where a benchmark keeps what must not outlive it: a folder and processes. They go away with it, also on an error or ctrl-C. */
export class Workbench implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "csi-sidecars-bench-"));
  readonly #cleanup = new AsyncDisposableStack();
  readonly #onSignal = () => void this[Symbol.asyncDispose]().finally(() => process.exit(130));

  constructor() {
    this.#cleanup.defer(() => rmSync(this.folder, { recursive: true, force: true }));
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, this.#onSignal);
  }

  /** A path in the folder. */
  path(name: string): string {
    return join(this.folder, name);
  }

  use<T extends AsyncDisposable>(resource: T): T {
    return this.#cleanup.use(resource);
  }

  /** Starts a program whose standard output is read by us; what it says on the error output is shown. */
  start(program: string, args: readonly string[]): ChildProcess {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#cleanup.defer(() => ended(child));
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, this.#onSignal);
    await this.#cleanup.disposeAsync();
  }
}

/** Ends a process, if it has not ended by itself, and waits until it is gone. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
