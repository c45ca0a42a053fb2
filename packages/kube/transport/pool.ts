import type { ProxyConfig } from "../config/cluster-config.ts";
import type { TlsSettings } from "./tls-material.ts";

/** What every connection of a pool has in common. */
export interface PoolSettings {
  /** Scheme, host, port and path, without a slash at the end. */
  readonly server: string;
  readonly tls?: TlsSettings;
  readonly proxy?: ProxyConfig;
}

export interface PoolRequest {
  readonly method: string;
  /** Below the server's path. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

export interface PoolResponse {
  readonly status: number;
  header(name: string): string | undefined;
  text(): Promise<string>;
  /** The next bytes of the body, in place of `text()`; `undefined` at its end. */
  read(): Promise<Uint8Array | undefined>;
}

/**
 * Connections to one server, kept open between requests: all that a runtime must bring. Everything above it (deadlines, credentials,
 * errors in words) is the same on every runtime.
 */
export interface Pool {
  /** HTTP/1.1, no time limit of its own, no redirects followed, `gzip` answers unpacked. Fails with an error that has a system or OpenSSL `code`. */
  send(request: PoolRequest): Promise<PoolResponse>;
  /** Ends idle connections; those in use end with their request. */
  close(): void;
}

/** Throws ConfigError for settings that this runtime cannot do. */
export type OpenPool = (settings: PoolSettings) => Pool;
