import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { until } from "@csi-sidecars/base/testing";
import { HpackDecoder } from "../any-authority/hpack-decoder.ts";
import { connectionOn, frame, frameReader, type HeaderList, headerBlock, type RawConnection, type RawFrame } from "./raw-http2-server.ts";

export const magic = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** The header fields of a gRPC call without `:authority`. */
export const callHeaders = (path: string, ...more: HeaderList): HeaderList => [
  [":method", "POST"],
  [":scheme", "http"],
  [":path", path],
  ["content-type", "application/grpc"],
  ["te", "trailers"],
  ...more,
];

/** A client that speaks HTTP/2 frames by hand, for what no well-behaved client does. */
export class RawClient implements AsyncDisposable {
  readonly socket: Socket;
  readonly frames: RawFrame[] = [];
  readonly raw: RawConnection;
  readonly #statuses = new Map<number, string>();
  readonly #decoder = new HpackDecoder();
  #closed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.raw = connectionOn(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#closed = true;
    });
    socket.on(
      "data",
      frameReader((read) => this.#read(read), "server"),
    );
  }

  /** Connects; `greet: false` leaves the preface to the test. */
  static async connect(path: string, { greet = true }: { readonly greet?: boolean } = {}): Promise<RawClient> {
    const socket = connect(path);
    await once(socket, "connect");
    const client = new RawClient(socket);
    if (greet) {
      socket.write(magic);
      client.raw.send(frame.settings, 0, 0);
    }
    return client;
  }

  /** A call with an empty message. */
  async call(stream: number, headers: HeaderList): Promise<string> {
    this.raw.headers(stream, headers);
    return this.finish(stream);
  }

  /** Sends the empty message of a call whose headers were sent, and waits for what became of it: its `grpc-status`, or `reset <code>`. */
  finish(stream: number): Promise<string> {
    this.raw.send(frame.data, frame.endStream, stream, Buffer.alloc(5));
    return this.status(stream);
  }

  async status(stream: number): Promise<string> {
    await until(
      () => `stream ${stream} ends`,
      () => this.#statuses.has(stream) || this.#closed,
    );
    return this.#statuses.get(stream) ?? "closed";
  }

  get closed(): boolean {
    return this.#closed;
  }

  async untilClosed(): Promise<void> {
    await until("the server closes the connection", () => this.#closed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    await this.untilClosed();
  }

  #read(read: RawFrame): void {
    this.frames.push(read);
    if (read.type === frame.settings && !(read.flags & frame.ack)) this.raw.send(frame.settings, frame.ack, 0);
    if (read.type === frame.rstStream && !this.#statuses.has(read.streamId)) {
      this.#statuses.set(read.streamId, `reset ${read.payload.readUInt32BE(0)}`);
    }
    if (read.type !== frame.headers) return;
    for (const [name, value] of this.#decoder.decode(read.payload)) {
      if (name === "grpc-status") this.#statuses.set(read.streamId, value);
    }
  }
}

/** A header field with its name and value added to the dynamic table. */
export function indexedLiteral(name: string, value: string): Buffer {
  const [, ...rest] = headerBlock([[name, value]]);
  return Buffer.from([0x40, ...rest]);
}

/** A field by its index in the tables, static ones first. */
export const fieldAt = (index: number): Buffer => Buffer.of(0x80 | index);
