import { gunzipSync } from "node:zlib";
import type { Http1Head, Http1Listener } from "./http1-parser.ts";
import type { PoolRequest, PoolResponse } from "./pool.ts";

/** What carries a call. */
export interface Carrier {
  pause(): void;
  resume(): void;
  end(): void;
}

/** Unread bytes of a body beyond which the server has to wait. */
const mostUnread = 256 * 1024;

const decoder = new TextDecoder();

/** A request on its way, and its answer. */
export class Http1Call implements Http1Listener, PoolResponse {
  readonly request: PoolRequest;
  /** What to send. */
  readonly sent: string;
  readonly response: Promise<PoolResponse>;
  /** Set while a connection carries it. */
  carrier: Carrier | undefined;
  /** It was sent before, on a connection that had ended. */
  repeated = false;
  readonly #answered = Promise.withResolvers<PoolResponse>();
  readonly #onGivenUp: (call: Http1Call) => void;
  #head: Http1Head | undefined;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  #paused = false;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #reader: { resolve(): void } | undefined;

  /** `onGivenUp` is told when its caller wants it no more. */
  constructor(request: PoolRequest, sent: string, onGivenUp: (call: Http1Call) => void) {
    this.request = request;
    this.sent = sent;
    this.response = this.#answered.promise;
    this.#onGivenUp = onGivenUp;
    request.signal.addEventListener("abort", this.#onAbort);
  }

  get status(): number {
    return this.#head?.status ?? 0;
  }

  header(name: string): string | undefined {
    return this.#head?.header(name.toLowerCase());
  }

  async text(): Promise<string> {
    const parts: Uint8Array[] = [];
    // Most bodies come whole, with their head.
    while (!this.#ended || this.#unread.length > 0) {
      const part = this.#take() ?? (await this.read());
      if (part) parts.push(part);
    }
    const [first] = parts;
    if (!first) return "";
    const body = parts.length === 1 ? first : Buffer.concat(parts);
    return decoder.decode(this.header("content-encoding") === "gzip" ? gunzipSync(body) : body);
  }

  async read(): Promise<Uint8Array | undefined> {
    while (this.#unread.length === 0) {
      if (this.#failure) throw this.#failure.error;
      if (this.#ended) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#reader = { resolve };
      await promise;
    }
    return this.#take();
  }

  #take(): Uint8Array | undefined {
    const bytes = this.#unread.shift();
    this.#unreadBytes -= bytes?.length ?? 0;
    if (this.#paused && this.#unreadBytes === 0) {
      this.#paused = false;
      this.carrier?.resume();
    }
    return bytes;
  }

  head(head: Http1Head): void {
    this.#head = head;
    this.#answered.resolve(this);
  }

  body(bytes: Uint8Array): void {
    this.#unread.push(bytes);
    this.#unreadBytes += bytes.length;
    if (this.#unreadBytes > mostUnread && !this.#paused) {
      this.#paused = true;
      this.carrier?.pause();
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
    this.carrier = undefined;
    this.request.signal.removeEventListener("abort", this.#onAbort);
    this.#wake();
  }

  #wake(): void {
    this.#reader?.resolve();
    this.#reader = undefined;
  }

  readonly #onAbort = (): void => {
    const { carrier } = this;
    this.fail(this.request.signal.reason);
    carrier?.end();
    this.#onGivenUp(this);
  };
}
