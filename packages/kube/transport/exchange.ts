import type { Clock, Timer } from "@csi-sidecars/base";
import { TransportError, type TransportErrorKind, type TransportRequest } from "./transport.ts";

/**
 * The life of one request: it ends by its last byte, its deadline, its caller's signal or the transport's close, whichever comes first.
 * All but the first abort `signal`, and `failure` then tells which it was.
 */
export class Exchange {
  readonly streaming: boolean;
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #server: string;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #onFinish: (exchange: Exchange) => void;
  #timer: Timer | undefined;
  #established = false;
  #failure: TransportError | undefined;

  constructor(request: TransportRequest, server: string, clock: Clock, onFinish: (exchange: Exchange) => void) {
    this.streaming = request.streaming ?? false;
    this.#server = server;
    this.#clock = clock;
    this.#onFinish = onFinish;
    this.#callerSignal = request.signal;
    if (request.signal?.aborted) {
      this.#onCallerAbort();
      return;
    }
    request.signal?.addEventListener("abort", this.#onCallerAbort);
    this.#timer = this.#clock.after(request.timeoutMs, () => this.end("timeout", `no complete answer within ${request.timeoutMs} ms`));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the exchange was broken off, if it was. */
  get failure(): TransportError | undefined {
    return this.#failure;
  }

  /** Whether the answer has begun. */
  get established(): boolean {
    return this.#established;
  }

  /** A stream may now be silent as long as it likes. */
  headersArrived(): void {
    this.#established = true;
    if (this.streaming) this.#timer?.cancel();
  }

  end(kind: TransportErrorKind, message: string, cause?: unknown): void {
    if (this.#failure) return;
    this.#failure = new TransportError(kind, `${this.#server}: ${message}`, cause === undefined ? undefined : { cause });
    this.finish();
    this.#controller.abort(this.#failure);
  }

  /** Lets go of timer and listeners; to be called when the last byte was read or nobody wants it. */
  finish(): void {
    this.#timer?.cancel();
    this.#callerSignal?.removeEventListener("abort", this.#onCallerAbort);
    this.#onFinish(this);
  }

  /** Waits for something that has no signal of its own. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    if (this.#failure) throw this.#failure;
    const { promise: broken, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(this.#failure);
    this.signal.addEventListener("abort", onAbort);
    try {
      return await Promise.race([promise, broken]);
    } finally {
      this.signal.removeEventListener("abort", onAbort);
    }
  }

  readonly #onCallerAbort = (): void => this.end("aborted", "request was cancelled", this.#callerSignal?.reason);
}
