import type { ProxyConfig } from "../config/cluster-config.ts";
import type { TlsSettings } from "./tls-material.ts";

/** What every connection of a pool has in common. */
export interface PoolSettings {
  readonly tls?: TlsSettings;
  readonly proxy?: ProxyConfig;
}

/**
 * Connections to one server, kept open between requests: all that a runtime must bring. Everything above it (deadlines, credentials,
 * errors in words) is the same on every runtime.
 */
export interface Pool {
  /** HTTP/1.1, no time limit of its own, no redirects followed, `gzip` answers unpacked. Fails with an error that has a system or OpenSSL `code`. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Ends idle connections; those in use end with their request. */
  close(): void;
}

/** Throws ConfigError for settings that this runtime cannot do. */
export type OpenPool = (settings: PoolSettings) => Pool;
