import type { Clock } from "@csi-sidecars/base";
import type { ExecPlugin } from "../../config/cluster-config.ts";
import type { KeyPair } from "../../config/pem.ts";
import type { Credential, CredentialDeps, CredentialSource } from "./credential.ts";
import { runExecPlugin } from "./exec-plugin.ts";

/** Credentials of an exec plugin: fetched with the first request, cached until they expire or are refused; one run at a time. */
export class ExecSource implements CredentialSource {
  readonly #plugin: ExecPlugin;
  readonly #clock: Clock;
  readonly #terminal: boolean;
  readonly #closing = new AbortController();
  #cached: Credential | undefined;
  #expiresAt = Number.POSITIVE_INFINITY;
  #running: Promise<Credential> | undefined;

  constructor(plugin: ExecPlugin, { clock, terminal }: CredentialDeps) {
    this.#plugin = plugin;
    this.#clock = clock;
    this.#terminal = terminal;
  }

  current(): Credential | Promise<Credential> {
    if (this.#running) return this.#running;
    return this.#cached && this.#clock.now() < this.#expiresAt ? this.#cached : this.#run();
  }

  renew(used: Credential): Credential | Promise<Credential> {
    return this.#cached === used && !this.#running ? this.#run() : this.current();
  }

  close(): void {
    this.#closing.abort();
  }

  #run(): Promise<Credential> {
    this.#running = this.#ask().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #ask(): Promise<Credential> {
    const issued = await runExecPlugin(this.#plugin, { terminal: this.#terminal, clock: this.#clock, signal: this.#closing.signal });
    const clientCertificate = issued.clientCertificate && this.#keepIfSame(issued.clientCertificate);
    this.#cached = {
      ...(issued.token && { authorization: `Bearer ${issued.token}` }),
      ...(clientCertificate && { clientCertificate }),
    };
    this.#expiresAt = issued.expiresAt ?? Number.POSITIVE_INFINITY;
    return this.#cached;
  }

  /** Connections stay open as long as the pair is the same object. */
  #keepIfSame(pair: KeyPair): KeyPair {
    const old = this.#cached?.clientCertificate;
    return old && old.cert === pair.cert && old.key === pair.key ? old : pair;
  }
}
