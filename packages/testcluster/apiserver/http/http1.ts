import { STATUS_CODES } from "node:http";

/** One HTTP/1.1 request with its whole body. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query as received. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** The body as received, for binary content types. */
  readonly bytes: Uint8Array;
}

/** Bytes that are not an HTTP/1.1 request: the connection must be closed. */
export class BadHttpError extends Error {
  override readonly name = "BadHttpError";
}

const headEnd = Buffer.from("\r\n\r\n");
const lineEnd = Buffer.from("\r\n");
const largestHead = 1 << 20;

interface Head {
  readonly method: string;
  readonly target: string;
  readonly headers: ReadonlyMap<string, string>;
}

/** Parses a byte stream into requests, with `Content-Length` or chunked bodies. */
export class RequestReader {
  #rest: Buffer = Buffer.alloc(0);
  #head: Head | undefined;
  #chunks: Buffer[] = [];
  readonly #onContinue: () => void;

  /** `onContinue` is called when a client waits for permission to send its body. */
  constructor(onContinue: () => void) {
    this.#onContinue = onContinue;
  }

  /** Takes the next bytes and returns the requests they complete. */
  push(bytes: Buffer): HttpRequest[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const complete: HttpRequest[] = [];
    for (let request = this.#next(); request; request = this.#next()) complete.push(request);
    return complete;
  }

  #next(): HttpRequest | undefined {
    this.#head ??= this.#readHead();
    if (!this.#head) return undefined;
    const body = this.#head.headers.get("transfer-encoding") === undefined ? this.#readSized(this.#head) : this.#readChunked();
    if (body === undefined) return undefined;
    const request = { ...this.#head, body: body.toString("utf8"), bytes: body };
    this.#head = undefined;
    return request;
  }

  #readHead(): Head | undefined {
    const end = this.#rest.indexOf(headEnd);
    if (end < 0) {
      if (this.#rest.length > largestHead) throw new BadHttpError("request head is too large");
      return undefined;
    }
    const [requestLine = "", ...lines] = this.#rest.toString("latin1", 0, end).split("\r\n");
    this.#rest = this.#rest.subarray(end + headEnd.length);
    const [method, target, protocol] = requestLine.split(" ");
    if (!method || !target || protocol !== "HTTP/1.1") throw new BadHttpError("not an HTTP/1.1 request");
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      const before = headers.get(name);
      headers.set(name, before === undefined ? value : `${before}, ${value}`);
    }
    if (headers.get("expect")?.toLowerCase() === "100-continue") this.#onContinue();
    return { method, target, headers };
  }

  #readSized(head: Head): Buffer | undefined {
    const length = Number(head.headers.get("content-length") ?? 0);
    if (!Number.isSafeInteger(length) || length < 0) throw new BadHttpError("bad content-length");
    if (this.#rest.length < length) return undefined;
    const body = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return body;
  }

  #readChunked(): Buffer | undefined {
    for (;;) {
      const end = this.#rest.indexOf(lineEnd);
      if (end < 0) return undefined;
      const size = Number.parseInt(this.#rest.toString("latin1", 0, end), 16);
      if (!(size >= 0)) throw new BadHttpError("bad chunk size");
      const from = end + lineEnd.length;
      if (this.#rest.length < from + size + lineEnd.length) return undefined;
      this.#chunks.push(this.#rest.subarray(from, from + size));
      this.#rest = this.#rest.subarray(from + size + lineEnd.length);
      if (size === 0) break;
    }
    const body = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return body;
  }
}

/** A response with a body of known length. */
export function responseBytes(code: number, headers: Readonly<Record<string, string>>, body: string): Buffer {
  return Buffer.from(`${headText(code, headers)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** The head of a response whose body follows in chunks. */
export function streamHeadBytes(code: number, headers: Readonly<Record<string, string>>): Buffer {
  return Buffer.from(`${headText(code, headers)}Transfer-Encoding: chunked\r\n\r\n`);
}

/** One framed chunk of a body: the same bytes serve every watcher. */
export function chunkBytes(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}

export const lastChunkBytes = Buffer.from("0\r\n\r\n");

export const continueBytes = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n");

function headText(code: number, headers: Readonly<Record<string, string>>): string {
  let text = `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? "Unknown"}\r\n`;
  for (const [name, value] of Object.entries(headers)) text += `${name}: ${value}\r\n`;
  return text;
}
