import type { TLSSocket } from "node:tls";
import { BadHttpError, continueBytes, type HttpRequest, lastChunkBytes, RequestReader, responseBytes, streamHeadBytes } from "./http1.ts";

/** The subject of a client certificate that our authority signed. */
interface PeerSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** The client certificate of a connection: trusted, untrusted or none. */
export type Peer =
  | { readonly certificate: "none" }
  | { readonly certificate: "untrusted" }
  | { readonly certificate: "trusted"; readonly subject: PeerSubject };

/** One request and how to respond to it: with exactly one of `respond`, `stream` and `cut`. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly peer: Peer;
  respond(code: number, headers: Readonly<Record<string, string>>, body: string): void;
  /** Starts a response of unknown length. */
  stream(code: number, headers: Readonly<Record<string, string>>): BodyStream;
  /** Closes the connection without a response. */
  cut(): void;
}

/** A chunked body in progress. What is written must be framed already, see `chunkBytes`. */
export interface BodyStream {
  write(framed: Uint8Array): void;
  /** Resolves when the client has read most of what was written, or has disconnected. */
  drained(): Promise<void>;
  /** Ends the body; the connection stays usable. */
  end(): void;
  /** Breaks the connection after what was written so far. */
  cut(): void;
  /** Called once when the client disconnects or the connection is cut. */
  onClose(listener: () => void): void;
  readonly closed: boolean;
}

export type Handler = (exchange: Exchange) => void;

/** More unread bytes than this make a client slow: the rest of its initial events waits. */
const highWater = 1 << 20;

/** One client's connection. Requests are served one after the other, in order. */
export class Connection {
  readonly #socket: TLSSocket;
  readonly #peer: Peer;
  readonly #handle: Handler;
  readonly #reader: RequestReader;
  readonly #waiting: HttpRequest[] = [];
  readonly #closeListeners = new Set<() => void>();
  #busy = false;
  #ending = false;

  constructor(socket: TLSSocket, peer: Peer, handle: Handler) {
    this.#socket = socket;
    this.#peer = peer;
    this.#handle = handle;
    this.#reader = new RequestReader(() => socket.write(continueBytes));
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => this.#receive(bytes));
    socket.on("error", () => socket.destroy());
    socket.on("end", () => socket.end());
    socket.on("close", () => this.#closed());
  }

  /** Closes after the request in progress. */
  end(): void {
    this.#ending = true;
    if (!this.#busy) this.#socket.end();
  }

  cut(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    try {
      this.#waiting.push(...this.#reader.push(bytes));
    } catch (error) {
      if (!(error instanceof BadHttpError)) throw error;
      this.#socket.end(responseBytes(400, { "Content-Type": "text/plain", Connection: "close" }, `${error.message}\n`));
      return;
    }
    this.#serveNext();
  }

  #serveNext(): void {
    while (!this.#busy && !this.#socket.destroyed) {
      const request = this.#waiting.shift();
      if (!request) break;
      this.#busy = true;
      this.#handle(this.#exchange(request));
    }
  }

  #exchange(request: HttpRequest): Exchange {
    return {
      request,
      peer: this.#peer,
      respond: (code, headers, body) => {
        if (!this.#socket.destroyed) this.#socket.write(responseBytes(code, headers, request.method === "HEAD" ? "" : body));
        this.#finished(request);
      },
      stream: (code, headers) => {
        this.#socket.write(streamHeadBytes(code, headers));
        return this.#bodyStream(request);
      },
      cut: () => this.cut(),
    };
  }

  #bodyStream(request: HttpRequest): BodyStream {
    const socket = this.#socket;
    const listeners = this.#closeListeners;
    let ended = false;
    return {
      write: (framed) => void (ended || socket.destroyed || socket.write(framed)),
      drained: () => {
        if (socket.destroyed || socket.writableLength < highWater) return Promise.resolve();
        return new Promise((resolve) => {
          const done = () => {
            socket.off("drain", done);
            listeners.delete(done);
            resolve();
          };
          socket.on("drain", done);
          listeners.add(done);
        });
      },
      end: () => {
        if (ended || socket.destroyed) return;
        ended = true;
        listeners.clear();
        socket.write(lastChunkBytes);
        this.#finished(request);
      },
      cut: () => socket.destroySoon(),
      onClose: (listener) => void listeners.add(listener),
      get closed() {
        return ended || socket.destroyed;
      },
    };
  }

  #finished(request: HttpRequest): void {
    this.#busy = false;
    if (this.#ending || request.headers.get("connection")?.toLowerCase() === "close") this.#socket.end();
    else queueMicrotask(() => this.#serveNext());
  }

  #closed(): void {
    const listeners = [...this.#closeListeners];
    this.#closeListeners.clear();
    for (const listener of listeners) listener();
  }
}
