import type { Clock, Permit, Timer } from "@csi-sidecars/base";
import { type BodyPart, type PoolResponse, release } from "./pool.ts";
import { TransportError, type TransportErrorKind, type TransportRequest, type TransportResponse } from "./transport.ts";

/**
 * One request and its response. It ends with the last byte, its deadline, its caller's signal, its permit or the transport's close,
 * whichever comes first. All but the first abort `signal`, and `failure` then tells which it was.
 */
export class Exchange {
  readonly streaming: boolean;
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #server: string;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #permit: Permit | undefined;
  readonly #withdrawn: AbortSignal | undefined;
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
    this.#permit = request.permit;
    this.#withdrawn = request.permit?.withdrawn;
    if (request.signal?.aborted) {
      this.#onCallerAbort();
      return;
    }
    if (this.#withdrawn?.aborted) {
      this.#onWithdrawn();
      return;
    }
    request.signal?.addEventListener("abort", this.#onCallerAbort);
    this.#withdrawn?.addEventListener("abort", this.#onWithdrawn);
    this.#timer = this.#clock.after(request.timeoutMs, () => this.end("timeout", `no complete response within ${request.timeoutMs} ms`));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the exchange was aborted, if it was. */
  get failure(): TransportError | undefined {
    return this.#failure;
  }

  /** For the pool: why the request may not be sent. Absent where nobody has to be asked. */
  get refusal(): (() => TransportError | undefined) | undefined {
    const permit = this.#permit;
    if (!permit) return undefined;
    return () => {
      const reason = permit.refusal();
      if (reason) this.end("aborted", `request was not sent: ${reason.message}`, reason);
      return this.#failure;
    };
  }

  /** Whether the response headers have arrived. */
  get established(): boolean {
    return this.#established;
  }

  /** From now on a stream has no time limit, unless the server refused it: then its body is an error message. */
  headersArrived(status: number): void {
    this.#established = true;
    if (this.streaming && status === 200) this.#timer?.cancel();
  }

  end(kind: TransportErrorKind, message: string, cause?: unknown): void {
    if (this.#failure) return;
    this.#failure = new TransportError(kind, `${this.#server}: ${message}`, cause === undefined ? undefined : { cause });
    this.finish();
    this.#controller.abort(this.#failure);
  }

  /** Releases timer and listeners; to be called when the body was read or is not needed.  */
  finish(): void {
    this.#timer?.cancel();
    this.#callerSignal?.removeEventListener("abort", this.#onCallerAbort);
    this.#withdrawn?.removeEventListener("abort", this.#onWithdrawn);
    this.#onFinish(this);
  }

  /** Waits for something that takes no signal. */
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

  readonly #onWithdrawn = (): void => this.end("aborted", "request was cancelled", this.#withdrawn?.reason);
}

/** A response whose body is still subject to the exchange's deadline, and whose errors are TransportErrors. */
export class ExchangeResponse implements TransportResponse {
  readonly #response: PoolResponse;
  readonly #exchange: Exchange;
  readonly #classify: (error: unknown) => TransportError;

  constructor(response: PoolResponse, exchange: Exchange, classify: (error: unknown) => TransportError) {
    this.#response = response;
    this.#exchange = exchange;
    this.#classify = classify;
  }

  get status(): number {
    return this.#response.status;
  }

  header(name: string): string | undefined {
    return this.#response.header(name);
  }

  async text(maxBytes?: number): Promise<string> {
    try {
      return await this.#response.text(maxBytes);
    } catch (error) {
      throw this.#exchange.failure ?? this.#classify(error);
    } finally {
      this.#exchange.finish();
    }
  }

  chunks(): AsyncIterable<Uint8Array> {
    return new BodyChunks(this.#response, this.#exchange, this.#classify);
  }
}

const end: IteratorResult<Uint8Array> = { done: true, value: undefined };

/**
 * The body as it arrives. Not a generator: leaving the loop must close the connection at once, and a generator that awaits the next
 * bytes cannot be left before they arrive.
 */
class BodyChunks implements AsyncIterableIterator<Uint8Array> {
  readonly #body: Pick<PoolResponse, "read">;
  readonly #exchange: Exchange;
  readonly #classify: (error: unknown) => TransportError;
  #over = false;
  #last: BodyPart | undefined;

  constructor(body: Pick<PoolResponse, "read">, exchange: Exchange, classify: (error: unknown) => TransportError) {
    this.#body = body;
    this.#exchange = exchange;
    this.#classify = classify;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#over) return end;
    if (this.#last) release(this.#last);
    try {
      this.#last = await this.#body.read();
      if (!this.#last.done) return this.#last;
    } catch (error) {
      if (this.#over) return end;
      this.#finish();
      throw this.#exchange.failure ?? this.#classify(error);
    }
    this.#finish();
    return end;
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    if (!this.#over) {
      this.#over = true;
      this.#exchange.end("aborted", "reading was cancelled");
    }
    return end;
  }

  #finish(): void {
    this.#over = true;
    this.#exchange.finish();
  }
}
