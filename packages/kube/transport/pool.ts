import type { Clock } from "@csi-sidecars/base";
import type { ProxyConfig } from "../config/cluster-config.ts";
import type { TlsSettings } from "./tls-reloader.ts";

/** The settings of all connections of a pool. */
export interface PoolSettings {
  /** Scheme, host, port and path, without a slash at the end. */
  readonly server: string;
  readonly tls?: TlsSettings;
  readonly proxy?: ProxyConfig;
  /** Of a body that is read as a whole; default 512 MiB. */
  readonly maxBodyBytes?: number;
  /** For the time limits of connecting. */
  readonly clock: Clock;
}

/** Several values of a header are sent as a line each. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[]>>;

export interface PoolRequest {
  readonly method: string;
  /** Below the server's path. */
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** Why the request may not be sent. Asked as late as the pool can: then the request fails with it. */
  readonly refusal?: (() => Error | undefined) | undefined;
}

/** The next bytes of a body, as an iterator yields them. */
export type BodyPart = IteratorResult<Uint8Array, undefined>;

/**
 * Lets go of bytes that have been worked off. What awaited them during a collection of young garbage is old since then, and keeps what it
 * got until all of the heap is visited: without this, a chunk for each such collection.
 */
export function release(part: { value: Uint8Array | undefined }): void {
  part.value = undefined;
}

export interface PoolResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** The whole body; more than `maxBytes`, by default the pool's limit, is an error. */
  text(maxBytes?: number): Promise<string>;
  /** The next part of the body, instead of `text()`. Its reader passes it to {@link release} afterwards. */
  read(): Promise<BodyPart>;
}

/**
 * Keep-alive connections to one server: all that a runtime must provide. Everything above it (deadlines, credentials, error messages)
 * is the same on every runtime.
 */
export interface Pool {
  /**
   * HTTP/1.1, no time limit of its own, no redirects followed, `gzip` responses decompressed. Sends nothing but a GET a second time.
   * Fails with a ResponseError or an error that has a system or OpenSSL `code`.
   */
  send(request: PoolRequest): Promise<PoolResponse>;
  /** Ends idle connections; those in use end with their request. */
  close(): void;
}

export type OpenPool = (settings: PoolSettings) => Pool;
