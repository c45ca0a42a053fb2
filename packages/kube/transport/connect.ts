import { isatty } from "node:tty";
import { type Clock, type Logger, silentLogger, systemClock } from "@csi-sidecars/base";
import type { ClusterConfig } from "../config/cluster-config.ts";
import { type Files, systemFiles } from "../config/files.ts";
import type { KeyPair } from "../config/pem.ts";
import { openBunPool } from "./bun-transport.ts";
import { classifyError } from "./classify-error.ts";
import { type Credential, type CredentialSource, differs } from "./credentials/credential.ts";
import { credentialSource, refusedCredentials } from "./credentials/credential-source.ts";
import { Exchange, ExchangeResponse } from "./exchange.ts";
import type { OpenPool, Pool, PoolResponse, RequestHeaders } from "./pool.ts";
import { commonHeaders, hasAuthorization, headerMerger } from "./request-headers.ts";
import { TlsReloader, type TlsSettings } from "./tls-reloader.ts";
import { maxRefusalBytes, type Transport, TransportError, type TransportRequest, type TransportResponse } from "./transport.ts";

export interface ConnectOptions {
  /** See {@link userAgent}. */
  readonly userAgent: string;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly files?: Files;
  /** Whether an exec plugin may prompt a user; default: whether standard input is a terminal. */
  readonly terminal?: boolean;
  /** The runtime's connection pool; default Bun's. */
  readonly openPool?: OpenPool;
}

/**
 * A transport to the API server of `config`. Connects with the first request; throws ConfigError for settings that can never work.
 *
 * ```ts
 * const transport = connect(loadConfig({ env: process.env }), { userAgent: userAgent({ name: "csi-attacher", version: "v1.0.0" }) });
 * ```
 */
export function connect(config: ClusterConfig, options: ConnectOptions): Transport {
  return new PooledTransport(config, options);
}

class PooledTransport implements Transport {
  readonly #config: ClusterConfig;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #openPool: OpenPool;
  readonly #headers: RequestHeaders;
  readonly #credentials: CredentialSource;
  readonly #tls: TlsReloader | undefined;
  readonly #merge = headerMerger();
  readonly #exchanges = new Set<Exchange>();
  readonly #forget = (exchange: Exchange): void => void this.#exchanges.delete(exchange);
  readonly #classify = (error: unknown): TransportError => classifyError(error, this.#config);
  #pool: Pool;
  #poolTls: TlsSettings | undefined;
  #poolPair: KeyPair | undefined;
  #lastCredential: Credential | undefined;
  #refused: Credential | undefined;
  #lastHeaders: RequestHeaders = {};
  #closed = false;

  constructor(config: ClusterConfig, options: ConnectOptions) {
    const { clock = systemClock, log = silentLogger, files = systemFiles, terminal = isatty(0), openPool = openBunPool } = options;
    this.#config = config;
    this.#clock = clock;
    this.#log = log;
    this.#openPool = openPool;
    this.#headers = commonHeaders(config, options.userAgent);
    this.#credentials = credentialSource(config.credentials, { files, clock, log, terminal });
    this.#tls = config.server.startsWith("https:") ? new TlsReloader(config.tls, { files, clock, log }) : undefined;
    this.#poolTls = this.#tls?.current();
    this.#poolPair = this.#poolTls?.clientCertificate;
    this.#pool = this.#open();
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    if (this.#closed) throw new TransportError("closed", `${this.#config.server}: the transport was closed`);
    const exchange = new Exchange(request, this.#config.server, this.#clock, this.#forget);
    this.#exchanges.add(exchange);
    try {
      const response = hasAuthorization(request.headers)
        ? await this.#send(request, exchange, this.#pool, this.#headers)
        : await this.#sendWithCredentials(request, exchange);
      exchange.headersArrived(response.status);
      return new ExchangeResponse(response, exchange, this.#classify);
    } catch (error) {
      exchange.finish();
      throw exchange.failure ?? this.#classify(error);
    }
  }

  close(): void {
    this.#closed = true;
    for (const exchange of [...this.#exchanges]) exchange.end("closed", "the transport was closed");
    this.#credentials.close();
    this.#pool.close();
  }

  async #sendWithCredentials(request: TransportRequest, exchange: Exchange): Promise<PoolResponse> {
    const current = this.#credentials.current();
    const used = current instanceof Promise ? await exchange.wait(current) : current;
    const response = await this.#send(request, exchange, this.#poolFor(used), this.#headersWith(used));
    if (response.status !== 401) return response;
    const renewed = await this.#renew(used, exchange);
    if (!differs(used, renewed)) return this.#logRefused(response, used);
    // To use its connection again. What it says about the old credentials is not needed, nor that it cannot be read.
    await response.text(maxRefusalBytes).catch(() => undefined);
    return this.#logRefused(await this.#send(request, exchange, this.#poolFor(renewed), this.#headersWith(renewed)), renewed);
  }

  /** Logs once per credential that the server refuses it. */
  #logRefused(response: PoolResponse, credential: Credential): PoolResponse {
    if (response.status === 401 && this.#refused !== credential) {
      this.#refused = credential;
      this.#log.error(undefined, refusedCredentials(this.#config));
    }
    return response;
  }

  /** The credential for a retry of the refused request; the same one if there is no other. */
  async #renew(used: Credential, exchange: Exchange): Promise<Credential> {
    try {
      return await exchange.wait(Promise.resolve(this.#credentials.renew(used)));
    } catch (error) {
      if (exchange.failure) throw exchange.failure;
      this.#log.error(error, "Cannot renew the credentials that the API server refused");
      return used;
    }
  }

  #send(request: TransportRequest, exchange: Exchange, pool: Pool, headers: RequestHeaders): Promise<PoolResponse> {
    if (exchange.failure) throw exchange.failure;
    const { method, path, body } = request;
    return pool.send({ method, path, body, headers: this.#merge(headers, request), signal: exchange.signal, refusal: exchange.refusal });
  }

  #headersWith(credential: Credential): RequestHeaders {
    if (credential.authorization === undefined) return this.#headers;
    if (credential !== this.#lastCredential) {
      this.#lastHeaders = { ...this.#headers, authorization: credential.authorization };
      this.#lastCredential = credential;
    }
    return this.#lastHeaders;
  }

  /** The pool for the current TLS settings. A new client certificate also ends the streams that were opened with the old one. */
  #poolFor(credential: Credential): Pool {
    const tls = this.#tls?.current();
    const pair = credential.clientCertificate ?? tls?.clientCertificate;
    if (tls === this.#poolTls && pair === this.#poolPair) return this.#pool;
    const replaced = this.#poolPair !== undefined && pair !== this.#poolPair;
    this.#poolTls = tls;
    this.#poolPair = pair;
    this.#pool.close();
    this.#pool = this.#open();
    if (replaced) this.#endStreams();
    return this.#pool;
  }

  #open(): Pool {
    const { proxy } = this.#config;
    const tls = this.#poolTls && { ...this.#poolTls, ...(this.#poolPair && { clientCertificate: this.#poolPair }) };
    return this.#openPool({ server: this.#config.server, clock: this.#clock, ...(tls && { tls }), ...(proxy && { proxy }) });
  }

  #endStreams(): void {
    for (const exchange of [...this.#exchanges]) {
      if (exchange.streaming && exchange.established) exchange.end("reset", "the client certificate changed, reconnecting");
    }
  }
}
