import { type Clock, deferred, type Logger, messageOf } from "@csi-sidecars/base";
import { stoppedCall, withinDeadline } from "../call-deadline.ts";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { Slots } from "../slots.ts";
import { acceptOperation } from "./accept-operation.ts";
import type { Envelope, Executor, OperationOptions, OperationParameters } from "./executor.ts";
import { redactEnvelope } from "./redact.ts";
import type { OperationLauncher, OperationRequest, RunningOperation } from "./running-operation.ts";

/** The time of an operation that only reads; then it is killed. One that changes something is only mentioned, that often. */
const limitMs = 60_000;
/** How long operations that only read may go on after the executor was closed. */
const closeMs = 5_000;

/**
 * What all ways to run operations have in common: how many run at the same time and for how long, and what becomes of a call that is
 * aborted. An operation that reads is killed with its call. One that changes something is left to finish, and keeps its slot.
 */
export class LimitedExecutor implements Executor {
  readonly #launcher: OperationLauncher;
  readonly #slots: Slots;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #running = new Map<RunningOperation, OperationRequest>();
  #closing: Promise<void> | undefined;

  constructor(launcher: OperationLauncher, concurrency: number, clock: Clock, log: Logger) {
    this.#launcher = launcher;
    this.#slots = new Slots(concurrency);
    this.#clock = clock;
    this.#log = log;
  }

  async run(op: string, params: OperationParameters, options: OperationOptions = {}): Promise<Envelope> {
    const request = acceptOperation(op, params);
    return withinDeadline(options, this.#clock, async (signal) => {
      const release = await this.#slots.take(signal).catch((reason) => {
        throw signal?.aborted ? stoppedCall(op, reason) : reason;
      });
      // Either may have happened since the slot was given.
      if (signal?.aborted || this.#closing) {
        release();
        throw signal?.aborted ? stoppedCall(op, signal.reason) : executorClosed();
      }
      return this.#start(request, signal, release, options.onAbandoned);
    });
  }

  /** Takes no more operations. Those that only read have 5 s to end, those that change something as long as they take. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #start(
    request: OperationRequest,
    signal: AbortSignal | undefined,
    release: () => void,
    onAbandoned: OperationOptions["onAbandoned"],
  ): Promise<Envelope> {
    const { op, mutates, redact } = request;
    const { promise, resolve, reject } = deferred<Envelope>();
    const running = this.#launcher.start(request);
    this.#running.set(running, request);
    const stop = (error: CsiProxyError) => {
      reject(error);
      if (!mutates) return running.kill();
      onAbandoned?.(running.ended);
      this.#reportAbandoned(op, running);
    };
    const onAbort = () => stop(stoppedCall(op, signal?.reason));
    signal?.addEventListener("abort", onAbort, { once: true });
    const watch = mutates ? this.#mentionWhile(op) : this.#clock.after(limitMs, () => stop(timedOut(op)));
    running.reply
      .then((envelope) => resolve(redactEnvelope(envelope, redact)), reject)
      .finally(() => signal?.removeEventListener("abort", onAbort));
    void running.ended.then(() => {
      watch.cancel();
      this.#running.delete(running);
      release();
    });
    return promise;
  }

  /** A warning every minute: somebody may wait for it, and the lock of its disk or volume is held. */
  #mentionWhile(op: string): { cancel(): void } {
    const began = this.#clock.monotonic();
    const mention = () => {
      const seconds = Math.round((this.#clock.monotonic() - began) / 1_000);
      this.#log.info("Warning: a PowerShell operation is still running", { op, seconds });
      timer = this.#clock.after(limitMs, mention);
    };
    let timer = this.#clock.after(limitMs, mention);
    return { cancel: () => timer.cancel() };
  }

  #reportAbandoned(op: string, running: RunningOperation): void {
    this.#log.info("The call of a PowerShell operation has ended before it; it is left to finish", { op });
    running.reply.then(
      ({ ok }) => this.#log.info("A PowerShell operation without a call has finished", { op, ok }),
      (error) => this.#log.info("A PowerShell operation without a call has failed", { op, err: messageOf(error) }),
    );
  }

  async #close(): Promise<void> {
    this.#slots.refuse(executorClosed());
    const closed = this.#launcher.close();
    const timer = this.#clock.after(closeMs, () => {
      for (const [running, { mutates }] of this.#running) if (!mutates) running.kill();
    });
    await Promise.all([...this.#running.keys()].map(({ ended }) => ended));
    timer.cancel();
    await closed;
  }
}

function executorClosed(): CsiProxyError {
  return new CsiProxyError("Unavailable", "the executor is closed");
}

function timedOut(op: string): CsiProxyError {
  return new CsiProxyError("DeadlineExceeded", `${op}: timed out after ${limitMs / 1_000} s`, { op });
}
