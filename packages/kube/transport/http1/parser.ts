import { HeldBytes } from "../held-bytes.ts";
import { ChunkLines, maxLineBytes } from "./chunk-lines.ts";
import { bodyFraming, keepsAlive } from "./framing.ts";
import { type Http1Head, parseHead } from "./head.ts";
import { MalformedResponseError } from "./response-error.ts";

/** Receives the parts of a response, in order. */
export interface Http1Listener {
  head(head: Http1Head): void;
  body(bytes: Uint8Array): void;
  /** The response is complete. `reusable`: the connection may be used for another request. */
  end(reusable: boolean): void;
}

type State = "head" | "fixed length" | "until close" | "chunk size" | "chunk" | "chunk end" | "trailers" | "done";

/** Of all heads of a response together, those with a 1xx status included. The API server's have less than 1 KiB. */
const maxHeadKiB = 256;
const [lineFeed, carriageReturn] = [0x0a, 0x0d];
const statusLineStart = Buffer.from("HTTP/1.");

/**
 * Parses one HTTP/1.1 response from the bytes of a connection, however they are split. Throws MalformedResponseError. A body has a
 * fixed length, is chunked, or lasts until the connection closes. Time and memory are proportional to what was pushed, at worst.
 */
export class Http1Parser {
  readonly #listener: Http1Listener;
  #state: State = "head";
  /** A head or line whose end has not arrived yet, and how much of it is known not to contain that end. */
  #held: HeldBytes | undefined;
  #scanned = 0;
  #headBytes = 0;
  #left = 0;
  #lines: ChunkLines | undefined;
  /** What the current push has brought of the body. */
  readonly #parts: Buffer[] = [];
  #reusable = true;

  constructor(listener: Http1Listener) {
    this.#listener = listener;
  }

  push(bytes: Buffer): void {
    if (this.#state === "done") throw new MalformedResponseError("it continues after its end");
    let rest: Buffer | undefined = this.#held?.append(bytes) ?? bytes;
    while (rest && rest.length > 0 && !this.#isDone()) rest = this.#step(rest);
    if (rest) this.#held = undefined;
    this.#deliver();
    // What follows the response was sent without a request: it must not be taken for the response to the next one.
    if (this.#isDone()) this.#listener.end(this.#reusable && rest?.length === 0);
  }

  /** The peer has closed the connection in an orderly way. Returns whether the response was complete. */
  finish(): boolean {
    if (this.#state === "until close") {
      this.#state = "done";
      this.#listener.end(false);
    }
    return this.#isDone();
  }

  #isDone(): boolean {
    return this.#state === "done";
  }

  /** Consumes what it can from the front and returns the rest; `undefined`: more input is needed. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case "head":
        return this.#readHead(bytes);
      case "fixed length":
      case "chunk":
        return this.#readBody(bytes);
      case "until close":
        this.#parts.push(bytes);
        return bytes.subarray(bytes.length);
      default:
        return this.#readLine(bytes);
    }
  }

  #readHead(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf("\r\n\r\n", Math.max(0, this.#scanned - 3));
    const length = end < 0 ? bytes.length : end + 4;
    if (this.#headBytes + length > maxHeadKiB * 1024) throw new MalformedResponseError(`its head is longer than ${maxHeadKiB} KiB`);
    if (end < 0) {
      this.#checkPartialHead(bytes);
      return this.#hold(bytes);
    }
    const head = parseHead(bytes.toString("latin1", 0, end + 2));
    this.#headBytes += length;
    this.#scanned = 0;
    this.#accept(head);
    return bytes.subarray(length);
  }

  /** What can never become a head fails now, not at the request's deadline. */
  #checkPartialHead(bytes: Buffer): void {
    const known = Math.min(bytes.length, statusLineStart.length);
    if (bytes.compare(statusLineStart, 0, known, 0, known) !== 0)
      throw new MalformedResponseError("it does not start with an HTTP/1.1 status line");
    for (let at = bytes.indexOf(lineFeed, this.#scanned); at >= 0; at = bytes.indexOf(lineFeed, at + 1))
      if (bytes[at - 1] !== carriageReturn) throw new MalformedResponseError("a line of its head does not end with CR LF");
  }

  #accept(head: Http1Head): void {
    if (head.status === 101) throw new MalformedResponseError("it switches to a protocol that was not asked for");
    // Other 1xx responses (100 Continue) precede the final one.
    if (head.status < 200) return;
    const framing = bodyFraming(head);
    this.#reusable = keepsAlive(head);
    this.#listener.head(head);
    if (framing === "chunked") {
      this.#lines = new ChunkLines();
      this.#state = "chunk size";
    } else if (framing === "until close") this.#state = "until close";
    else {
      this.#left = framing;
      this.#state = framing === 0 ? "done" : "fixed length";
    }
  }

  #readBody(bytes: Buffer): Buffer {
    const part = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= part.length;
    this.#parts.push(part);
    if (this.#left === 0) this.#state = this.#state === "chunk" ? "chunk end" : "done";
    return bytes.subarray(part.length);
  }

  #readLine(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(lineFeed, this.#scanned);
    if ((end < 0 ? bytes.length : end) > maxLineBytes)
      throw new MalformedResponseError(`a line in its body is longer than ${maxLineBytes} bytes`);
    if (this.#state === "chunk end" && (bytes[0] !== carriageReturn || end > 1))
      throw new MalformedResponseError("a chunk is longer than it says");
    if (end < 0) return this.#hold(bytes);
    if (bytes[end - 1] !== carriageReturn) throw new MalformedResponseError("a line in its body does not end with CR LF");
    this.#scanned = 0;
    this.#state = this.#afterLine(bytes.toString("latin1", 0, end + 1));
    return bytes.subarray(end + 1);
  }

  #afterLine(line: string): State {
    if (this.#state === "chunk end") return "chunk size";
    if (this.#state === "trailers") return this.#lines?.trailer(line) ? "done" : "trailers";
    this.#left = this.#lines?.size(line.slice(0, -2)) ?? 0;
    return this.#left === 0 ? "trailers" : "chunk";
  }

  #hold(bytes: Buffer): undefined {
    // Of the same length: it is what is held already.
    if (bytes.length !== this.#held?.length) {
      this.#held = new HeldBytes();
      this.#held.append(bytes);
    }
    this.#scanned = bytes.length;
  }

  /** In one piece: many small chunks would cost more than copying them. */
  #deliver(): void {
    const [first] = this.#parts;
    if (!first) return;
    const body = this.#parts.length === 1 ? first : Buffer.concat(this.#parts);
    this.#parts.length = 0;
    this.#listener.body(body);
  }
}
