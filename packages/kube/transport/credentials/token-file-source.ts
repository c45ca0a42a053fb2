import type { Clock, Logger } from "@csi-sidecars/base";
import type { Credentials } from "../../config/cluster-config.ts";
import { type Files, readFailure } from "../../config/files.ts";
import { isHeaderSafe } from "../../config/secret-string.ts";
import { TransportError } from "../transport.ts";
import type { Credential, CredentialDeps, CredentialSource } from "./credential.ts";

/** As in client-go: a token counts as expired 60 s after it was read and is read again 10 s before that. */
const freshMs = 50_000;

/** A bearer token from a file that is replaced before the token expires (by the kubelet, for a service account). */
export class TokenFileSource implements CredentialSource {
  readonly #file: string;
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #log: Logger;
  #cached: Credential | undefined;
  #staleAt = Number.NEGATIVE_INFINITY;
  #failing = false;

  constructor(from: Extract<Credentials, { kind: "tokenFile" }>, { files, clock, log }: CredentialDeps) {
    this.#file = from.file;
    this.#files = files;
    this.#clock = clock;
    this.#log = log;
    if (from.fallback) this.#cached = { authorization: `Bearer ${from.fallback.reveal()}` };
  }

  current(): Credential {
    const cached = this.#cached;
    return cached && this.#clock.monotonic() < this.#staleAt ? cached : this.#read();
  }

  renew(used: Credential): Credential {
    return this.#cached === used ? this.#read() : this.current();
  }

  close(): void {}

  #read(): Credential {
    const outcome = readToken(this.#files, this.#file);
    if ("problem" in outcome) return this.#keepOld(outcome.problem);
    this.#failing = false;
    this.#staleAt = this.#clock.monotonic() + freshMs;
    this.#cached = { authorization: `Bearer ${outcome.token}` };
    return this.#cached;
  }

  /** Without a new token the old one may still be valid; the next request reads the file again. */
  #keepOld(problem: string): Credential {
    const error = new TransportError("credentials", `token file ${this.#file}: ${problem}; it must hold a bearer token`);
    if (!this.#cached) throw error;
    if (!this.#failing) this.#log.error(error, "Cannot read the token file, keeping the old token");
    this.#failing = true;
    return this.#cached;
  }
}

function readToken(files: Files, file: string): { readonly token: string } | { readonly problem: string } {
  let token: string;
  try {
    token = files.read(file).trim();
  } catch (error) {
    return { problem: readFailure(error) };
  }
  if (token === "") return { problem: "is empty" };
  return isHeaderSafe(token) ? { token } : { problem: "holds characters that no token has" };
}
