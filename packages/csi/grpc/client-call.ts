import type { Permit, Timer } from "@csi-sidecars/base";
import type { Channel } from "./channel.ts";
import { type Exchange, exchange, type Incoming } from "./exchange.ts";
import { encodeTimeout, type Metadata } from "./headers.ts";
import type { Session } from "./session.ts";
import { canceled, deadlineExceeded, type ErrorOrigin, type GrpcError, notPermitted } from "./status.ts";

/** The options of one call. */
export interface CallOptions {
  /** The deadline, counted from now; also sent to the server. */
  readonly timeoutMs?: number;
  /** Aborting it cancels the call at the server too. */
  readonly signal?: AbortSignal;
  readonly metadata?: Metadata;
  /** Wait for a connection as long as the deadline allows, instead of failing while there is none. */
  readonly waitForReady?: boolean;
  /** Without it the call ends as canceled. It is asked right before the call is sent on a connection, for each attempt. */
  readonly permit?: Permit;
}

/** How often a call that provably reached no handler is retried transparently. */
const maxTransparentRetries = 2;

/** A call with its deadline and its signal, from before it has a connection until its one `end`. */
export class ClientCall {
  readonly #channel: Channel;
  readonly #path: string;
  readonly #body: Uint8Array;
  readonly #options: CallOptions;
  readonly #incoming: Incoming;
  readonly #deadline: number | undefined;
  #withdrawn: AbortSignal | undefined;
  #timer: Timer | undefined;
  #waiting: AbortController | undefined;
  #exchange: Exchange | undefined;
  #retries = 0;
  #ended = false;

  constructor(channel: Channel, path: string, body: Uint8Array, options: CallOptions, incoming: Incoming) {
    this.#channel = channel;
    this.#path = path;
    this.#body = body;
    this.#options = options;
    this.#incoming = incoming;
    this.#deadline = options.timeoutMs === undefined ? undefined : channel.clock.monotonic() + options.timeoutMs;
  }

  start(): this {
    const { timeoutMs, signal, permit } = this.#options;
    this.#withdrawn = permit?.withdrawn;
    if (signal?.aborted) this.#end(canceled(signal.reason, "unsent"));
    else if (this.#withdrawn?.aborted) this.#end(notPermitted(this.#withdrawn.reason));
    else if (timeoutMs !== undefined && timeoutMs <= 0) this.#end(deadlineExceeded("unsent"));
    if (this.#ended) return this;
    if (timeoutMs !== undefined) this.#timer = this.#channel.clock.after(timeoutMs, () => this.#giveUp(deadlineExceeded(this.#fate)));
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#withdrawn?.addEventListener("abort", this.#onWithdrawn, { once: true });
    const { session } = this.#channel;
    if (session) this.#send(session);
    else this.#acquire();
    return this;
  }

  pause(): void {
    this.#exchange?.pause();
  }

  resume(): void {
    this.#exchange?.resume();
  }

  /** The caller is no longer interested; no `end` follows. */
  cancel(): void {
    if (this.#ended) return;
    this.#release();
    this.#exchange?.cancel();
  }

  readonly #onAbort = () => this.#giveUp(canceled(this.#options.signal?.reason, this.#fate));

  readonly #onWithdrawn = () => this.#giveUp(canceled(this.#withdrawn?.reason, this.#fate));

  /**
   * Whether the deadline has passed, which the clock decides and not the timer's turn: a server that honours it resets the stream at the
   * same moment.
   */
  get #expired(): boolean {
    return this.#deadline !== undefined && this.#channel.clock.monotonic() >= this.#deadline;
  }

  get #fate(): ErrorOrigin {
    return this.#exchange ? "transport" : "unsent";
  }

  #acquire(): void {
    const waiting = new AbortController();
    this.#waiting = waiting;
    this.#channel.acquire(this.#options.waitForReady ?? false, waiting.signal).then(
      (session) => {
        if (!this.#ended) this.#send(session);
      },
      (error: GrpcError) => this.#end(error),
    );
  }

  #send(session: Session): void {
    const refusal = this.#options.permit?.refusal();
    if (refusal) {
      this.#end(notPermitted(refusal));
      return;
    }
    const { userAgent, maxReceiveBytes, clock } = this.#channel;
    const timeout = this.#deadline === undefined ? undefined : encodeTimeout(this.#deadline - clock.monotonic());
    const outgoing = { path: this.#path, body: this.#body, metadata: this.#options.metadata, userAgent, maxReceiveBytes, timeout };
    this.#exchange = exchange(session, outgoing, {
      message: (bytes) => this.#incoming.message(bytes),
      end: (error) => this.#answered(error),
    });
  }

  #answered(error: GrpcError | undefined): void {
    if (error && error.origin !== "peer" && this.#expired) {
      this.#end(deadlineExceeded(error.origin));
    } else if (error?.origin === "unsent" && this.#retries < maxTransparentRetries && !this.#ended) {
      this.#retries++;
      this.#exchange = undefined;
      this.#acquire();
    } else {
      this.#end(error);
    }
  }

  #giveUp(error: GrpcError): void {
    const started = this.#exchange;
    this.#end(error);
    started?.cancel();
  }

  #end(error: GrpcError | undefined): void {
    if (this.#ended) return;
    this.#release();
    this.#incoming.end(error);
  }

  #release(): void {
    this.#ended = true;
    this.#timer?.cancel();
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#withdrawn?.removeEventListener("abort", this.#onWithdrawn);
    this.#waiting?.abort();
  }
}
