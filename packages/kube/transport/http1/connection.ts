import type { CallConnection, Http1Call } from "./call.ts";
import { Http1Parser } from "./parser.ts";

/** A connected socket of the runtime. */
export interface Socket {
  /** Buffers what cannot be sent at once. */
  write(text: string): void;
  /** Stops reading until `resume`. */
  pause(): void;
  resume(): void;
  /** Closes the socket after so many seconds without use; until then it does not keep the process alive. */
  setIdle(seconds: number): void;
  /** Ends the idle state. */
  setActive(): void;
  /** Whether everything written has been sent. */
  readonly flushed: boolean;
  /** Closes at once. */
  end(): void;
}

export interface SocketEvents {
  /** Connected, and with TLS the server is verified. */
  opened(): void;
  received(bytes: Buffer): void;
  /** Called once, also when connecting failed. `error` has a system or OpenSSL `code`. */
  closed(error: Error | undefined): void;
}

/** Starts to connect. */
export type Dial = (events: SocketEvents) => Socket;

/** The pool, as a connection sees it. */
export interface ConnectionOwner {
  /** Ready for a call: connected, or the last call has ended. */
  free(connection: Http1Connection): void;
  /** Closed, or could not connect. */
  lost(connection: Http1Connection, error: Error): void;
  /** The server had closed the connection before it read this call. */
  retry(call: Http1Call): void;
}

/** As in client-go. */
const idleSeconds = 90;
/** Methods that may be retried when it is unknown whether the server has read the request. */
const idempotent = new Set(["GET", "PUT", "DELETE"]);

/** One connection with at most one call at a time. */
export class Http1Connection implements SocketEvents, CallConnection {
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;
  #call: Http1Call | undefined;
  #parser: Http1Parser | undefined;
  #responding = false;
  #calls = 0;

  constructor(dial: Dial, owner: ConnectionOwner) {
    this.#owner = owner;
    this.#socket = dial(this);
  }

  send(call: Http1Call): void {
    this.#socket.setActive();
    this.#call = call;
    this.#calls++;
    this.#responding = false;
    call.connection = this;
    this.#parser = new Http1Parser({
      head: (head) => call.head(head),
      body: (bytes) => call.body(bytes),
      end: (reusable) => this.#callEnded(call, reusable),
    });
    this.#socket.write(call.sent);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  end(): void {
    this.#socket.end();
  }

  opened(): void {
    this.#owner.free(this);
  }

  received(bytes: Buffer): void {
    this.#responding = true;
    try {
      if (!this.#parser) throw new Error("the server sent data without a request");
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
      if (this.#isUnread(call)) this.#owner.retry(call);
      else call.fail(error);
    }
    this.#owner.lost(this, error);
  }

  /** Whether the server may have closed the idle connection at the moment the call was sent. */
  #isUnread({ request, retried }: Http1Call): boolean {
    return this.#calls > 1 && !this.#responding && !retried && idempotent.has(request.method) && !request.signal.aborted;
  }

  #callEnded(call: Http1Call, reusable: boolean): void {
    this.#call = undefined;
    this.#parser = undefined;
    call.end();
    if (!reusable || !this.#socket.flushed) {
      this.end();
      return;
    }
    this.#socket.setIdle(idleSeconds);
    this.#owner.free(this);
  }
}
