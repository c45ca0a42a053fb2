import type { SidecarProcess } from "../e2e/sidecar-process.ts";

/** A sidecar that is started again whenever it ends, as a kubelet does. */
export class SupervisedSidecar implements AsyncDisposable {
  readonly #begin: () => SidecarProcess;
  #now: SidecarProcess;
  #stopped = false;
  #away: Promise<unknown> = Promise.resolve();

  constructor(begin: () => SidecarProcess) {
    this.#begin = begin;
    this.#now = this.#start();
  }

  /** Everything the present process has written so far. */
  get output(): string {
    return this.#now.output;
  }

  /** Ends it as by the kernel, without a last word; resolves when the next one runs. */
  async kill(): Promise<void> {
    await this.#now.end("SIGKILL");
  }

  /** Ends it in the same way, and starts it again only when something has come to pass. */
  async killUntil(comesToPass: () => Promise<unknown>): Promise<void> {
    const passed = Promise.withResolvers<void>();
    this.#away = passed.promise;
    try {
      await this.#now.end("SIGKILL");
      await comesToPass();
    } finally {
      passed.resolve();
    }
  }

  /** Ends it for good and returns its exit code. */
  async stop(): Promise<number | null> {
    this.#stopped = true;
    return this.#now.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await this.#now.end("SIGKILL");
  }

  #start(): SidecarProcess {
    const started = this.#begin();
    void started.exit().then(async () => {
      await this.#away;
      if (!this.#stopped) this.#now = this.#start();
    });
    return started;
  }
}
