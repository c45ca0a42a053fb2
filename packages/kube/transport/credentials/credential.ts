import type { Clock, Logger } from "@csi-sidecars/base";
import type { Files } from "../../config/files.ts";
import type { KeyPair } from "../../config/pem.ts";

/** What authenticates one request. A source creates a new object each time it reads its origin, even if the result is the same. */
export interface Credential {
  readonly authorization?: string;
  readonly clientCertificate?: KeyPair;
}

/** Where credentials come from, and are renewed from when they expire or the server refuses them. */
export interface CredentialSource {
  /** What to send now; a promise only where a program has to run first. Fails with TransportError of kind "credentials". */
  current(): Credential | Promise<Credential>;
  /** The server answered 401 to `used`: reads the origin again, unless that happened since `used` was handed out. */
  renew(used: Credential): Credential | Promise<Credential>;
  close(): void;
}

export interface CredentialDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether a plugin may prompt a user at a terminal. */
  readonly terminal: boolean;
}

/** Whether a request that was refused with `used` may succeed with `now`. */
export function differs(used: Credential, now: Credential): boolean {
  return used.authorization !== now.authorization || used.clientCertificate !== now.clientCertificate;
}
