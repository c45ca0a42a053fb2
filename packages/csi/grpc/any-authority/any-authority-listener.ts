import { createServer, type Server, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { type Clock, type Logger, messageOf, type Timer } from "@csi-sidecars/base";
import { AuthorityRewriter } from "./authority-rewriter.ts";

export interface AnyAuthorityOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Serves a connection whose client has sent its preface. */
  readonly serve: (connection: Duplex) => void;
}

/** How long a client may take for its preface, as in grpc-go. */
const prefaceMs = 120_000;

/**
 * A listener for HTTP/2 connections on which requests may have any `:authority`. Go's clients take it from the address that they dial:
 * over named pipes and unix sockets that is a path, and HTTP/2 libraries reset such requests before anybody sees them.
 *
 * Some clients open a connection only to see that somebody listens, and leave it at that. Such a connection costs little, is let go after
 * two minutes, and does not keep the listener from closing.
 */
export class AnyAuthorityListener {
  readonly server: Server;
  readonly #silent = new Set<Duplex>();

  constructor({ clock, log, serve }: AnyAuthorityOptions) {
    this.server = createServer((socket) => {
      const connection: Duplex = new RewrittenConnection(socket, {
        clock,
        onPreface: () => {
          this.#silent.delete(connection);
          serve(connection);
        },
        onRefusal: (reason) => log.v(4).info("Closing a gRPC connection", { reason }),
      });
      this.#silent.add(connection);
      connection.once("close", () => this.#silent.delete(connection));
    });
  }

  /** Lets go of the connections that nobody serves yet. */
  dropSilent(): void {
    for (const connection of this.#silent) connection.destroy();
  }
}

interface ConnectionEvents {
  readonly clock: Clock;
  onPreface(): void;
  onRefusal(reason: string): void;
}

/** What a client sends, rewritten; what it is sent, as it is. */
class RewrittenConnection extends Duplex {
  readonly #socket: Socket;
  readonly #rewriter = new AuthorityRewriter();
  readonly #events: ConnectionEvents;
  readonly #prefaceTimer: Timer;
  #served = false;
  /** What was received and is not handed on yet. */
  #pending: Iterator<Buffer> | undefined;
  #wanted = true;
  #handingOn = false;

  constructor(socket: Socket, events: ConnectionEvents) {
    super();
    this.#socket = socket;
    this.#events = events;
    this.#prefaceTimer = events.clock.after(prefaceMs, () => this.#refuse("it has sent no HTTP/2 preface"));
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("end", () => (this.#served ? this.push(null) : this.destroy()));
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
    // Whoever serves the connection may be gone when it fails, or not yet be there.
    this.on("error", () => {});
  }

  override _read(): void {
    this.#wanted = true;
    this.#handOn();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#prefaceTimer.cancel();
    this.#socket.destroy();
    done(error);
  }

  #receive(chunk: Buffer): void {
    if (this.destroyed) return;
    this.#pending = this.#rewriter.rewrite(chunk);
    this.#handOn();
  }

  /** As much as the reader wants. It may ask for more while it is handed something. */
  #handOn(): void {
    if (this.#handingOn) return;
    this.#handingOn = true;
    try {
      while (this.#wanted && this.#pending && !this.destroyed) this.#handOnPiece(this.#pending.next());
    } catch (error) {
      this.#refuse(messageOf(error));
    }
    this.#handingOn = false;
    if (this.#wanted && !this.#pending) this.#socket.resume();
    else this.#socket.pause();
  }

  #handOnPiece({ value, done }: IteratorResult<Buffer, void>): void {
    if (done) {
      this.#pending = undefined;
      return;
    }
    this.#wanted = false;
    if (this.push(value)) this.#wanted = true;
    if (this.#served || !this.#rewriter.prefaceDone) return;
    this.#served = true;
    this.#prefaceTimer.cancel();
    this.#events.onPreface();
  }

  #refuse(reason: string): void {
    this.#events.onRefusal(reason);
    this.destroy();
  }
}
