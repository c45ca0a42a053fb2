import type { CallOptions, Client } from "./client.ts";

/** What `/version` says. `minor` may end in a plus sign on vendors' builds. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}

/** The cheapest request that proves address, TLS and (mostly) credentials right: for start-up checks and log lines. */
export function serverVersion(client: Pick<Client, "raw">, options?: CallOptions): Promise<ServerVersion> {
  return client.raw<ServerVersion>("GET", "/version", undefined, options);
}
