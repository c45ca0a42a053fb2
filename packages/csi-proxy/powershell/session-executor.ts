import type { Timer } from "@csi-sidecars/base";
import type { Envelope } from "./executor.ts";
import { type PowershellHost, type PowershellOptions, powershellHost } from "./executor-options.ts";
import { LimitedExecutor } from "./limited-executor.ts";
import { oneShotLauncher } from "./one-shot-executor.ts";
import type { OperationLauncher, OperationRequest, RunningOperation } from "./running-operation.ts";
import { SessionWorker, WorkerLost } from "./session-worker.ts";

export interface SessionOptions extends PowershellOptions {
  /** A session without work ends after this time: 5 minutes unless told. */
  readonly idleMs?: number;
  /** A session ends after this many operations: 500 unless told. */
  readonly maxOperations?: number;
}

/** More sessions than that cost memory and are no faster: WMI is the bottleneck. */
const mostSessions = 3;
const failedStartsUntilFallback = 2;

/**
 * Runs operations in PowerShell sessions that stay: an operation takes milliseconds instead of the start of a process, and secrets enter
 * no environment. Where PowerShell does not start as a session, every operation gets a process of its own.
 */
export class SessionExecutor extends LimitedExecutor {
  constructor(options: SessionOptions) {
    const host = powershellHost(options);
    const pool = new SessionPool(host, options.idleMs ?? 300_000, options.maxOperations ?? 500);
    super(pool, Math.min(host.concurrency, mostSessions), host.clock, host.log);
  }
}

/** The sessions. As many run as operations at the same time, so there is always one to be had, or a place for a new one. */
class SessionPool implements OperationLauncher {
  readonly #host: PowershellHost;
  readonly #idleMs: number;
  readonly #maxOperations: number;
  readonly #oneShot: OperationLauncher;
  readonly #workers = new Set<SessionWorker>();
  /** The one that was used last comes first: the others become idle for long enough to end. */
  readonly #idle = new Map<SessionWorker, Timer>();
  #failedStarts = 0;
  #hasFallenBack = false;
  #isClosed = false;

  constructor(host: PowershellHost, idleMs: number, maxOperations: number) {
    this.#host = host;
    this.#idleMs = idleMs;
    this.#maxOperations = maxOperations;
    this.#oneShot = oneShotLauncher(host);
  }

  start(request: OperationRequest): RunningOperation {
    let isKilled = false;
    let current = this.#begin(request, false);
    const reply = this.#answer(request, current, (error, attempt) => {
      if (isKilled || this.#isClosed || request.mutates || !this.#mayRepeat(attempt)) throw error;
      current = this.#begin(request, true);
      return current;
    });
    const ended = reply.then(
      () => current.ended,
      () => current.ended,
    );
    const kill = () => {
      isKilled = true;
      current.kill();
    };
    return { reply, ended, kill };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const worker of this.#workers) this.#retire(worker);
    await Promise.all([...this.#workers].map(({ ended }) => ended));
  }

  /** The answer of the first attempt whose worker is not lost under it. `again` begins another one, or throws. */
  async #answer(
    request: OperationRequest,
    first: RunningOperation,
    again: (error: WorkerLost, attempt: number) => RunningOperation,
  ): Promise<Envelope> {
    let running = first;
    for (let attempt = 1; ; attempt++) {
      try {
        return await running.reply;
      } catch (error) {
        if (!(error instanceof WorkerLost)) throw error;
        this.#host.log.v(2).info("A PowerShell session was lost", { op: request.op, err: error.message });
        running = again(error, attempt);
      }
    }
  }

  /** Once on a fresh worker; and without a session where those do not start. */
  #mayRepeat(attempt: number): boolean {
    return attempt === 1 || this.#hasFallenBack;
  }

  #begin(request: OperationRequest, fresh: boolean): RunningOperation {
    if (this.#hasFallenBack) return this.#oneShot.start(request);
    const worker = (fresh ? undefined : this.#takeIdle()) ?? this.#startWorker();
    return worker.begin(request);
  }

  #takeIdle(): SessionWorker | undefined {
    const worker = [...this.#idle.keys()].at(-1);
    if (worker) this.#forgetIdle(worker);
    return worker;
  }

  #startWorker(): SessionWorker {
    const worker = new SessionWorker(this.#host, {
      onFree: (free) => this.#onFree(free),
      onEnd: (ended) => this.#onEnd(ended),
    });
    this.#workers.add(worker);
    return worker;
  }

  #onFree(worker: SessionWorker): void {
    this.#failedStarts = 0;
    if (worker.isRetired) return;
    if (this.#isClosed || this.#hasFallenBack || worker.served >= this.#maxOperations) worker.retire();
    else
      this.#idle.set(
        worker,
        this.#host.clock.after(this.#idleMs, () => this.#retire(worker)),
      );
  }

  #onEnd(worker: SessionWorker): void {
    this.#forgetIdle(worker);
    this.#workers.delete(worker);
    if (worker.failedToStart) this.#failedStarts++;
    if (this.#hasFallenBack || this.#failedStarts < failedStartsUntilFallback) return;
    this.#hasFallenBack = true;
    this.#host.log.info("Warning: PowerShell does not start as a session; every operation gets a process of its own from now on");
    for (const idle of this.#idle.keys()) this.#retire(idle);
  }

  #retire(worker: SessionWorker): void {
    this.#forgetIdle(worker);
    worker.retire();
  }

  #forgetIdle(worker: SessionWorker): void {
    this.#idle.get(worker)?.cancel();
    this.#idle.delete(worker);
  }
}
