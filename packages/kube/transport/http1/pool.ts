import type { Pool, PoolRequest, PoolResponse } from "../pool.ts";
import { Http1Call, type Http1CallOptions, requestText } from "./call.ts";
import { type ConnectionOwner, type Dial, Http1Connection } from "./connection.ts";

/** As in client-go: at most this many idle connections. */
const maxIdle = 25;
/** A burst of requests must not become a burst of handshakes: most requests can reuse the connections of earlier ones. */
const maxDials = 4;
/** How many slow dials go on beside them. */
const maxSlowDials = 4;

/** Connections to one server, one request at a time on each. */
export class Http1Pool implements Pool, ConnectionOwner {
  readonly #server: URL;
  readonly #dial: Dial;
  readonly #callOptions: Http1CallOptions;
  /** Longest idle first. */
  readonly #idle: Http1Connection[] = [];
  /** Connecting, oldest first. */
  readonly #dials = new Set<Http1Connection>();
  /** Still connecting when a call that waited was cancelled, oldest first. */
  readonly #slowDials = new Set<Http1Connection>();
  /** Calls that wait for a connection. */
  readonly #waiting = new Set<Http1Call>();
  #closed = false;

  constructor(server: string, dial: Dial, maxBodyBytes?: number) {
    this.#server = new URL(server);
    this.#dial = dial;
    this.#callOptions = { maxBodyBytes, onCancelled: (call) => this.#cancelled(call) };
  }

  send(request: PoolRequest): Promise<PoolResponse> {
    if (request.signal.aborted) return Promise.reject(request.signal.reason);
    const call = new Http1Call(request, requestText(request, this.#server), this.#callOptions);
    this.#start(call);
    return call.response;
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#idle.splice(0)) connection.end();
    this.#endSlowDials(maxSlowDials);
  }

  free(connection: Http1Connection): void {
    const isNew = this.#dials.delete(connection) || this.#slowDials.delete(connection);
    const call = this.#next();
    if (isNew) this.#dialMore();
    if (call) connection.send(call);
    else if (this.#closed) connection.end();
    else {
      this.#idle.push(connection);
      if (this.#idle.length > maxIdle) this.#idle.shift()?.end();
    }
  }

  lost(connection: Http1Connection, error: Error): void {
    const index = this.#idle.indexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#slowDials.delete(connection);
    if (this.#dials.delete(connection)) this.#next()?.fail(error);
    this.#dialMore();
  }

  resend(call: Http1Call): void {
    call.connection = undefined;
    this.#start(call);
  }

  retry(call: Http1Call): void {
    call.retried = true;
    this.resend(call);
  }

  #start(call: Http1Call): void {
    const connection = this.#idle.pop();
    if (connection) connection.send(call);
    else {
      this.#waiting.add(call);
      this.#dialMore();
    }
  }

  /** Takes the first waiting call. */
  #next(): Http1Call | undefined {
    const [call] = this.#waiting;
    if (call) this.#waiting.delete(call);
    return call;
  }

  #dialMore(): void {
    while (this.#dials.size < Math.min(maxDials, this.#waiting.size)) this.#dials.add(new Http1Connection(this.#dial, this));
  }

  /**
   * A waiting call that is cancelled has waited too long for the oldest dial. That may be one that never completes, so others need not wait
   * for it; or one that takes longer than a call has time, whose connection serves the next.
   */
  #cancelled(call: Http1Call): void {
    if (!this.#waiting.delete(call)) return;
    const [oldest] = this.#dials;
    if (!oldest) return;
    this.#dials.delete(oldest);
    this.#slowDials.add(oldest);
    if (this.#slowDials.size > maxSlowDials) this.#endSlowDials(1);
    // Not before all calls are cancelled that end together.
    queueMicrotask(() => this.#dialMore());
  }

  /** The oldest first. */
  #endSlowDials(count: number): void {
    for (const connection of [...this.#slowDials].slice(0, count)) {
      this.#slowDials.delete(connection);
      connection.end();
    }
  }
}
