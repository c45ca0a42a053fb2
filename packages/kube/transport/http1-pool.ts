import { Http1Call } from "./http1-call.ts";
import { type ConnectionOwner, Http1Connection } from "./http1-connection.ts";
import { requestText } from "./http1-request.ts";
import type { Pool, PoolRequest, PoolResponse } from "./pool.ts";
import type { Dial } from "./wire.ts";

/** As client-go keeps them: at most this many idle connections. */
const mostIdle = 25;
/** A burst of requests must not become a burst of handshakes: most of them can use the connections of those before them. */
const mostDials = 4;

/** Connections to one server, one request at a time on each. */
export class Http1Pool implements Pool, ConnectionOwner {
  readonly #server: URL;
  readonly #dial: Dial;
  /** Longest idle first. */
  readonly #idle: Http1Connection[] = [];
  /** Not open yet, oldest first. */
  readonly #dials = new Set<Http1Connection>();
  /** Calls that no connection was free for. */
  readonly #line = new Set<Http1Call>();
  #closed = false;

  constructor(server: string, dial: Dial) {
    this.#server = new URL(server);
    this.#dial = dial;
  }

  send(request: PoolRequest): Promise<PoolResponse> {
    if (request.signal.aborted) return Promise.reject(request.signal.reason);
    const call = new Http1Call(request, requestText(request, this.#server), this.#givenUp);
    const connection = this.#idle.pop();
    if (connection) connection.carry(call);
    else {
      this.#line.add(call);
      this.#dialMore();
    }
    return call.response;
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#idle.splice(0)) connection.end();
  }

  free(connection: Http1Connection): void {
    const isNew = this.#dials.delete(connection);
    const call = this.#next();
    if (isNew) this.#dialMore();
    if (call) connection.carry(call);
    else if (this.#closed) connection.end();
    else {
      this.#idle.push(connection);
      if (this.#idle.length > mostIdle) this.#idle.shift()?.end();
    }
  }

  lost(connection: Http1Connection, error: Error): void {
    const index = this.#idle.indexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
    if (this.#dials.delete(connection)) this.#next()?.fail(error);
    this.#dialMore();
  }

  again(call: Http1Call): void {
    call.repeated = true;
    call.carrier = undefined;
    this.#line.add(call);
    this.#dialMore();
  }

  /** Takes the first out of the line. */
  #next(): Http1Call | undefined {
    const [call] = this.#line;
    if (call) this.#line.delete(call);
    return call;
  }

  #dialMore(): void {
    while (this.#dials.size < Math.min(mostDials, this.#line.size)) this.#dials.add(new Http1Connection(this.#dial, this));
  }

  /** A call that waited in vain takes the oldest dial with it: that may be one that never ends. */
  readonly #givenUp = (call: Http1Call): void => {
    if (!this.#line.delete(call)) return;
    const [oldest] = this.#dials;
    if (!oldest) return;
    this.#dials.delete(oldest);
    oldest.end();
    this.#dialMore();
  };
}
