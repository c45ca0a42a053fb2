import type { Carrier, Http1Call } from "./http1-call.ts";
import { Http1Parser } from "./http1-parser.ts";
import type { Dial, Wire, WireEvents } from "./wire.ts";

/** Who lends connections out. */
export interface ConnectionOwner {
  /** It can carry a call: it was opened, or its last call is over. */
  free(connection: Http1Connection): void;
  /** It has ended, or could not be opened. */
  lost(connection: Http1Connection, error: Error): void;
  /** The server had closed the connection before it saw this call. */
  again(call: Http1Call): void;
}

/** As client-go keeps idle connections. */
const idleSeconds = 90;
/** May be sent again when it is not known whether the server has seen them. */
const repeatable = new Set(["GET", "PUT", "DELETE"]);

/** One connection, which carries one call at a time. */
export class Http1Connection implements WireEvents, Carrier {
  readonly #owner: ConnectionOwner;
  readonly #wire: Wire;
  #call: Http1Call | undefined;
  #parser: Http1Parser | undefined;
  #answering = false;
  #calls = 0;

  constructor(dial: Dial, owner: ConnectionOwner) {
    this.#owner = owner;
    this.#wire = dial(this);
  }

  carry(call: Http1Call): void {
    this.#wire.wake();
    this.#call = call;
    this.#calls++;
    this.#answering = false;
    call.carrier = this;
    this.#parser = new Http1Parser({
      head: (head) => call.head(head),
      body: (bytes) => call.body(bytes),
      end: (reusable) => this.#callEnded(call, reusable),
    });
    this.#wire.write(call.sent);
  }

  pause(): void {
    this.#wire.pause();
  }

  resume(): void {
    this.#wire.resume();
  }

  end(): void {
    this.#wire.end();
  }

  opened(): void {
    this.#owner.free(this);
  }

  received(bytes: Buffer): void {
    this.#answering = true;
    try {
      if (!this.#parser) throw new Error("the server said something that nobody had asked for");
      this.#parser.push(bytes);
    } catch (error) {
      this.#call?.fail(error);
      this.end();
    }
  }

  closed(reason: Error | undefined): void {
    const error = reason ?? Object.assign(new Error("the connection was closed"), { code: "ECONNRESET" });
    const call = this.#call;
    if (call && !this.#parser?.finish()) {
      if (this.#isUnseen(call)) this.#owner.again(call);
      else call.fail(error);
    }
    this.#owner.lost(this, error);
  }

  /** Whether the server may have closed the connection for its idleness, at the moment the call was sent. */
  #isUnseen({ request, repeated }: Http1Call): boolean {
    return this.#calls > 1 && !this.#answering && !repeated && repeatable.has(request.method) && !request.signal.aborted;
  }

  #callEnded(call: Http1Call, reusable: boolean): void {
    this.#call = undefined;
    this.#parser = undefined;
    call.end();
    if (!reusable || !this.#wire.flushed) {
      this.end();
      return;
    }
    this.#wire.rest(idleSeconds);
    this.#owner.free(this);
  }
}
