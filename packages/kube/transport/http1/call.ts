import type { BodyPart, PoolRequest, PoolResponse, RequestHeaders } from "../pool.ts";
import { BodyText } from "./body-text.ts";
import type { Http1Head } from "./head.ts";
import type { Http1Listener } from "./parser.ts";

/** The connection of a call, as far as the call controls it. */
export interface CallConnection {
  pause(): void;
  resume(): void;
  end(): void;
}

/** Unread bytes of a body beyond which the socket is paused. */
const maxUnread = 256 * 1024;
/** What a part of a body costs besides its bytes, roughly. */
const partOverhead = 128;

export interface Http1CallOptions {
  /** See {@link BodyText}. */
  readonly maxBodyBytes?: number | undefined;
  /** The request's signal has aborted. */
  onCancelled(call: Http1Call): void;
}

/** A request and its response. */
export class Http1Call implements Http1Listener, PoolResponse {
  readonly request: PoolRequest;
  /** The bytes to send, as text. */
  readonly sent: string;
  readonly response: Promise<PoolResponse>;
  /** Set while the call is on a connection. */
  connection: CallConnection | undefined;
  /** It was sent before, on a connection that ended without a response. */
  retried = false;
  readonly #answered = Promise.withResolvers<PoolResponse>();
  readonly #options: Http1CallOptions;
  #head: Http1Head | undefined;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  #paused = false;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #reader: { resolve(): void } | undefined;

  constructor(request: PoolRequest, sent: string, options: Http1CallOptions) {
    this.request = request;
    this.sent = sent;
    this.response = this.#answered.promise;
    this.#options = options;
    request.signal.addEventListener("abort", this.#onAbort);
  }

  get status(): number {
    return this.#head?.status ?? 0;
  }

  header(name: string): string | undefined {
    return this.#head?.header(name.toLowerCase());
  }

  /** Whether the caller has the response: from then on the request cannot be sent again. */
  get answered(): boolean {
    return this.#head !== undefined;
  }

  async text(maxBytes = this.#options.maxBodyBytes): Promise<string> {
    const body = new BodyText(maxBytes);
    try {
      // Most bodies arrive whole, together with the head.
      while (!this.#ended || this.#unread.length > 0) {
        const part = this.#take() ?? (await this.read()).value;
        if (part) body.add(part);
      }
      return body.decode(this.header("content-encoding"));
    } catch (error) {
      this.#giveUp(error);
      throw error;
    }
  }

  async read(): Promise<BodyPart> {
    for (;;) {
      const value = this.#take();
      if (value) return { done: false, value };
      if (this.#failure) throw this.#failure.error;
      if (this.#ended) return { done: true, value: undefined };
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#reader = { resolve };
      await promise;
    }
  }

  #take(): Uint8Array | undefined {
    const bytes = this.#unread.shift();
    if (bytes) this.#unreadBytes -= bytes.length + partOverhead;
    if (this.#paused && this.#unreadBytes === 0) {
      this.#paused = false;
      this.connection?.resume();
    }
    return bytes;
  }

  head(head: Http1Head): void {
    this.#head = head;
    this.#answered.resolve(this);
  }

  body(bytes: Uint8Array): void {
    this.#unread.push(bytes);
    this.#unreadBytes += bytes.length + partOverhead;
    if (this.#unreadBytes > maxUnread && !this.#paused) {
      this.#paused = true;
      this.connection?.pause();
    }
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#leave();
  }

  fail(error: unknown): void {
    if (this.#ended || this.#failure) return;
    this.#failure = { error };
    this.#answered.reject(error);
    this.#leave();
  }

  #leave(): void {
    this.connection = undefined;
    this.request.signal.removeEventListener("abort", this.#onAbort);
    this.#wake();
  }

  #wake(): void {
    this.#reader?.resolve();
    this.#reader = undefined;
  }

  /** Ends the connection too: nobody reads the rest of the response. */
  #giveUp(error: unknown): void {
    const { connection } = this;
    this.fail(error);
    connection?.end();
  }

  readonly #onAbort = (): void => {
    this.#giveUp(this.request.signal.reason);
    this.#options.onCancelled(this);
  };
}

/** A request in HTTP/1.1 syntax. Throws TypeError for characters that would break a line. */
export function requestText({ method, path, headers, body }: PoolRequest, server: URL): string {
  const target = server.pathname === "/" ? path : server.pathname + path;
  if (!/^[\x21-\x7e]+$/.test(target)) throw new TypeError("the path of a request must be URL-encoded");
  const length =
    body === undefined
      ? method === "GET" || method === "DELETE"
        ? ""
        : "content-length: 0\r\n"
      : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nhost: ${server.host}\r\n${headerText(headers)}${length}\r\n${body ?? ""}`;
}

const texts = new WeakMap<RequestHeaders, string>();

/** Requests share a few header objects: each is serialized and checked once. */
function headerText(headers: RequestHeaders): string {
  let text = texts.get(headers);
  if (text === undefined) {
    text = Object.entries(headers)
      .flatMap(([name, values]) => [values].flat().map((value) => headerLine(name, value)))
      .join("");
    texts.set(headers, text);
  }
  return text;
}

function headerLine(name: string, value: string): string {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[\0\r\n]/.test(value))
    throw new TypeError(`the header ${JSON.stringify(name)} cannot be sent`);
  return `${name}: ${value}\r\n`;
}
