import type { Permit } from "@csi-sidecars/base";

/**
 * HTTP to one API server: knows its address, TLS, proxy and credentials (it adds `Authorization` itself, and on a 401 renews the
 * credentials and retries once).
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Ends idle connections; requests in flight end with an error of kind "closed". */
  close(): void;
}

export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query below the server's base URL, beginning with a slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request, or the reading of its body, with an error of kind "aborted". */
  readonly signal?: AbortSignal;
  /**
   * Without it the request ends with an error of kind "aborted". It is asked right before the bytes are handed to the socket: after the
   * credentials, the wait for a connection and its handshake. Only behind a proxy it is asked before the runtime connects.
   */
  readonly permit?: Permit;
  /** Limit for the whole exchange including the body, unless `streaming`: then only until the headers of a 200 arrive. */
  readonly timeoutMs: number;
  /** A watch: the body is read for minutes, with silence in between. */
  readonly streaming?: boolean;
}

export interface TransportResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** The whole body; more than `maxBytes` is an error. */
  text(maxBytes?: number): Promise<string>;
  /** The body as it arrives; to be read at most once, instead of `text()`. Leaving the iteration cancels the request. */
  chunks(): AsyncIterable<Uint8Array>;
}

export type TransportErrorKind = "refused" | "reset" | "timeout" | "tls" | "dns" | "credentials" | "aborted" | "closed" | "other";

/** A request without an HTTP response. `kind` decides about retries; the message names the server and what to do. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly kind: TransportErrorKind;

  constructor(kind: TransportErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Of the body of a refusal. An API server takes no request larger than this, so no error that quotes one is larger. */
export const maxRefusalBytes = 3 * 1024 * 1024;
