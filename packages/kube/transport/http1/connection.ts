import type { CallConnection, Http1Call } from "./call.ts";
import { Http1Parser } from "./parser.ts";
import { MalformedResponseError } from "./response-error.ts";

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
  /** Calls back after what has arrived by now was received, also the end of the connection. */
  afterReceiving(callback: () => void): void;
  /** Closes at once. */
  end(): void;
}

export interface SocketEvents {
  /** Connected, and with TLS the server is verified. */
  opened(): void;
  received(bytes: Buffer): void;
  /** Called once, also when connecting failed. `error` has a system or OpenSSL `code`; without one the peer ended the connection. */
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
  /** This call was not sent: its connection ended before. */
  resend(call: Http1Call): void;
  /** This call was sent, got no response, and may be sent once more. */
  retry(call: Http1Call): void;
}

/** Less than the 90 s after which the API server ends idle connections: a request must not meet that end. */
export const idleSeconds = 60;

/**
 * One connection with at most one call at a time. A response has nothing that names its request, so whatever arrives while no request
 * is under way ends the connection: a proxy's 408 to an idle client would be taken for the response to the next request, and every
 * later response for the one after it.
 */
export class Http1Connection implements SocketEvents, CallConnection {
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;
  #call: Http1Call | undefined;
  /** Set from the moment a call is sent until its response is complete. */
  #parser: Http1Parser | undefined;
  /** It has just been opened: nothing can have arrived that was not asked for. */
  #isNew = false;
  /** The current call was not the reason to open the connection. */
  #isReused = false;

  constructor(dial: Dial, owner: ConnectionOwner) {
    this.#owner = owner;
    this.#socket = dial(this);
  }

  /** Sends a call, on a used connection after a look at what it has received. */
  send(call: Http1Call): void {
    this.#socket.setActive();
    this.#call = call;
    call.connection = this;
    this.#isReused = !this.#isNew;
    if (this.#isNew) this.#write(call);
    else this.#socket.afterReceiving(() => this.#write(call));
  }

  #write(call: Http1Call): void {
    if (this.#call !== call) return;
    const refusal = call.request.refusal?.();
    if (refusal) {
      this.#call = undefined;
      call.fail(refusal);
      this.end();
      return;
    }
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
    this.#isNew = true;
    this.#owner.free(this);
    this.#isNew = false;
  }

  received(bytes: Buffer): void {
    try {
      if (!this.#parser) throw new MalformedResponseError("it was sent without a request");
      this.#parser.push(bytes);
    } catch (error) {
      this.#leave(error);
      this.end();
    }
  }

  closed(reason: Error | undefined): void {
    const error = reason ?? Object.assign(new Error("the connection was closed"), { code: "ECONNRESET" });
    // A body that lasts until the close is complete only where the peer has closed: a reset may have cut it off.
    if (reason || !this.#parser?.finish()) this.#leave(error);
    this.#owner.lost(this, error);
  }

  /** The call can get no response here. */
  #leave(error: unknown): void {
    const call = this.#call;
    const sent = this.#parser !== undefined;
    this.#call = undefined;
    this.#parser = undefined;
    if (!call || call.request.signal.aborted) return;
    if (!sent) this.#owner.resend(call);
    else if (this.#isRepeatable(call)) this.#owner.retry(call);
    else call.fail(error);
  }

  /**
   * Whether it does no harm to send the call twice: the server may have read and done it, and lost the connection then. Unlike a new
   * connection, a used one often ends for reasons that have nothing to do with the call.
   */
  #isRepeatable({ request, retried, answered }: Http1Call): boolean {
    return request.method === "GET" && this.#isReused && !retried && !answered;
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
