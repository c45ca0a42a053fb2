import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from "node:http2";
import { type Clock, systemErrorCode } from "@csi-sidecars/base";
import { authorityOf, dial, type Target } from "./target.ts";

/**
 * Why a session takes no new calls: the server announced that it is leaving (GOAWAY); the socket closed; or this side closed it, because
 * the server broke HTTP/2's rules or sent a header field that the HTTP/2 library cannot hold.
 */
export type LossReason = "goaway" | "closed" | "violation";

/**
 * The largest header list a server may send for one call, told it in SETTINGS. The HTTP/2 library closes the whole connection over a field
 * of 64 KiB or more; a server that knows this limit fails the one call whose status is larger.
 */
export const maxHeaderListBytes = 64 * 1024;

export interface OpenOptions {
  readonly target: Target;
  readonly clock: Clock;
  /** How long one attempt may take, until the server's SETTINGS arrived. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The library's errors for what a server may not send, floods among them. */
const violationCodes: readonly string[] = ["ERR_HTTP2_ERROR", "ERR_HTTP2_TOO_MANY_INVALID_FRAMES"];

/**
 * Whether an error is that of a connection whose peer broke the rules of HTTP/2. The library gives it to every stream too, also to those
 * that the peer opened: nobody can listen to these, so that it reaches the process, which must not end for it. The session tells of its
 * end by itself.
 */
export function isProtocolViolation(error: unknown): boolean {
  return violationCodes.includes(systemErrorCode(error) ?? "");
}

/** One HTTP/2 connection to a server that has sent its SETTINGS. */
export class Session {
  readonly #http2: ClientHttp2Session;
  #end: LossReason | undefined;
  #violation = false;
  #onEnd: (end: LossReason) => void = () => {};

  private constructor(http2: ClientHttp2Session) {
    this.#http2 = http2;
    http2.on("goaway", () => this.#ended("goaway"));
    http2.on("error", (error) => {
      if (isProtocolViolation(error)) this.#violation = true;
    });
    http2.on("close", () => this.#ended(this.#violation ? "violation" : "closed"));
  }

  /**
   * Connects and waits for the server's SETTINGS: a peer that accepts and stays silent does not count as connected.
   * Rejects with the socket's or the protocol's error.
   */
  static open({ target, clock, timeoutMs, signal }: OpenOptions): Promise<Session> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const http2 = connect(`http://${authorityOf(target)}`, {
        createConnection: () => dial(target),
        settings: { maxHeaderListSize: maxHeaderListBytes },
        // grpc-go sends an error message that ends in a space as it is; a strict library drops the field.
        strictFieldWhitespaceValidation: false,
      });
      const fail = (error: unknown) => {
        timer.cancel();
        signal.removeEventListener("abort", onAbort);
        reject(error);
        http2.destroy();
      };
      const onAbort = () => fail(signal.reason);
      const timer = clock.after(timeoutMs, () => fail(new Error("connection timed out before the server's settings arrived")));
      signal.addEventListener("abort", onAbort, { once: true });
      http2.on("error", fail);
      http2.once("close", () => fail(new Error("connection closed before the server's settings arrived")));
      http2.once("remoteSettings", () => {
        timer.cancel();
        signal.removeEventListener("abort", onAbort);
        resolve(new Session(http2));
      });
    });
  }

  /** Whether new calls may start here. */
  get usable(): boolean {
    return this.#end === undefined;
  }

  /** Whether the connection is gone, with every call on it. */
  get destroyed(): boolean {
    return this.#http2.destroyed;
  }

  /** Whether this side closed the connection over what the server sent. */
  get violated(): boolean {
    return this.#violation;
  }

  /** Called once, when the session takes no more calls; calls in flight may still finish after a GOAWAY. */
  onEnd(listener: (end: LossReason) => void): void {
    this.#onEnd = listener;
    if (this.#end) listener(this.#end);
  }

  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    return this.#http2.request(headers);
  }

  /** No new calls; the connection closes when the last one is done. */
  close(): void {
    this.#http2.close();
  }

  /** Ends the connection and every call on it now. */
  destroy(): void {
    this.#http2.destroy();
  }

  #ended(end: LossReason): void {
    if (this.#end) return;
    this.#end = end;
    this.#onEnd(end);
  }
}
