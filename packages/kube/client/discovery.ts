import type { ApiResource, CallOptions, Client } from "./client.ts";
import { groupVersionPath } from "./request-url.ts";
import { ignoreNotFound } from "./status-error.ts";

/** The kinds that a server serves in a group version; `undefined` when it does not serve it (a CRD is not installed, a version not enabled). */
export async function discover(
  client: Pick<Client, "raw">,
  groupVersion: string,
  options?: CallOptions,
): Promise<readonly ApiResource[] | undefined> {
  const slash = groupVersion.indexOf("/");
  const path = groupVersionPath(slash < 0 ? "" : groupVersion.slice(0, slash), groupVersion.slice(slash + 1));
  const list = await ignoreNotFound(client.raw<{ resources?: readonly ApiResource[] }>("GET", path, undefined, options));
  return list && (list.resources ?? []);
}

/** The response of `/version`. `minor` may end in a plus sign on vendors' builds. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}

/** The cheapest request that proves address, TLS and (mostly) credentials right: for start-up checks and log lines. */
export function serverVersion(client: Pick<Client, "raw">, options?: CallOptions): Promise<ServerVersion> {
  return client.raw<ServerVersion>("GET", "/version", undefined, options);
}
