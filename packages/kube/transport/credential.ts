import type { Clock, Logger } from "@csi-sidecars/base";
import type { Credentials } from "../config/cluster-config.ts";
import type { Files } from "../config/files.ts";
import type { KeyPair } from "../config/pem.ts";
import { ExecSource } from "./exec-source.ts";
import { TokenFileSource } from "./token-file-source.ts";

/** What one request shows to be let in. A source makes a new object each time it asks its origin, even if the answer is the same. */
export interface Credential {
  readonly authorization?: string;
  readonly clientCertificate?: KeyPair;
}

/** Where credentials come from, and come from again when they expire or the server refuses them. */
export interface CredentialSource {
  /** What to send now; a promise only where a program has to run first. Fails with TransportError of kind "credentials". */
  current(): Credential | Promise<Credential>;
  /** The server answered 401 to `used`: asks the origin again, unless that happened since `used` was handed out. */
  renew(used: Credential): Credential | Promise<Credential>;
  close(): void;
}

export interface CredentialDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether a plugin may talk with a user at a terminal. */
  readonly terminal: boolean;
}

export function credentialSource(credentials: Credentials, deps: CredentialDeps): CredentialSource {
  switch (credentials.kind) {
    case "none":
      return fixed({});
    case "token":
      return fixed({ authorization: `Bearer ${credentials.token.reveal()}` });
    case "basic": {
      const pair = `${credentials.username}:${credentials.password.reveal()}`;
      return fixed({ authorization: `Basic ${Buffer.from(pair).toString("base64")}` });
    }
    case "tokenFile":
      return new TokenFileSource(credentials, deps);
    case "exec":
      return new ExecSource(credentials.plugin, deps);
  }
}

/** Whether a request that failed with `used` may fare better with `now`. */
export function differs(used: Credential, now: Credential): boolean {
  return used.authorization !== now.authorization || used.clientCertificate !== now.clientCertificate;
}

function fixed(credential: Credential): CredentialSource {
  return { current: () => credential, renew: () => credential, close() {} };
}
