import type { Clock, Logger } from "@csi-sidecars/base";
import type { TlsConfig } from "../config/cluster-config.ts";
import type { Files } from "../config/files.ts";
import { type KeyPair, readAuthority, readKeyPair } from "../config/pem.ts";

/** The settings of a TLS handshake, as PEM text. */
export interface TlsSettings {
  readonly ca?: string;
  readonly clientCertificate?: KeyPair;
  readonly serverName?: string;
  readonly insecure: boolean;
}

const checkEveryMs = 5 * 60_000;

/**
 * The current TLS settings. Files are read again on use, at most every five minutes; one that became unreadable or broken leaves the
 * settings unchanged.
 */
export class TlsReloader {
  readonly #config: TlsConfig;
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #fromFiles: boolean;
  #settings: TlsSettings;
  #checkAt: number;

  /** Reads everything once; throws ConfigError. */
  constructor(config: TlsConfig, deps: { readonly files: Files; readonly clock: Clock; readonly log: Logger }) {
    this.#config = config;
    this.#files = deps.files;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#fromFiles = isFile(config.ca) || isFile(config.clientCertificate?.cert) || isFile(config.clientCertificate?.key);
    const ca = config.ca?.optional ? this.#tryAuthority(undefined) : config.ca && readAuthority(config.ca, deps.files);
    const clientCertificate = config.clientCertificate && readKeyPair(config.clientCertificate, deps.files);
    this.#settings = this.#join(ca, clientCertificate);
    this.#checkAt = deps.clock.monotonic() + checkEveryMs;
  }

  /** The same object as long as nothing changed. */
  current(): TlsSettings {
    if (!this.#fromFiles) return this.#settings;
    const now = this.#clock.monotonic();
    if (now >= this.#checkAt) {
      this.#checkAt = now + checkEveryMs;
      this.#check();
    }
    return this.#settings;
  }

  #check(): void {
    const old = this.#settings;
    const ca = this.#tryAuthority(old.ca);
    const pair = this.#tryKeyPair(old.clientCertificate);
    if (ca === old.ca && pair === old.clientCertificate) return;
    this.#log.info("TLS files changed, new connections use them", { ca: ca !== old.ca, clientCertificate: pair !== old.clientCertificate });
    this.#settings = this.#join(ca, pair);
  }

  #tryAuthority(old: string | undefined): string | undefined {
    if (!this.#config.ca) return undefined;
    try {
      return readAuthority(this.#config.ca, this.#files);
    } catch (error) {
      this.#log.error(error, "Cannot use the certificate authority file, keeping the current one");
      return old;
    }
  }

  #tryKeyPair(old: KeyPair | undefined): KeyPair | undefined {
    if (!this.#config.clientCertificate) return undefined;
    try {
      const pair = readKeyPair(this.#config.clientCertificate, this.#files);
      return pair.cert === old?.cert && pair.key === old.key ? old : pair;
    } catch (error) {
      this.#log.error(error, "Cannot use the client certificate files, keeping the current one");
      return old;
    }
  }

  #join(ca: string | undefined, clientCertificate: KeyPair | undefined): TlsSettings {
    const { serverName, insecure } = this.#config;
    return { insecure, ...(ca && { ca }), ...(clientCertificate && { clientCertificate }), ...(serverName && { serverName }) };
  }
}

function isFile(pem: object | undefined): boolean {
  return pem !== undefined && "file" in pem;
}
