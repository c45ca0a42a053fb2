import type { ApiResource, CallOptions, Client } from "./client.ts";
import { groupVersionPath } from "./paths.ts";
import { isNotFound } from "./status-predicates.ts";

/** The kinds that a server serves in a group version; `undefined` when it does not serve it (a CRD is not installed, a version not enabled). */
export async function discover(
  client: Pick<Client, "raw">,
  groupVersion: string,
  options?: CallOptions,
): Promise<readonly ApiResource[] | undefined> {
  const slash = groupVersion.indexOf("/");
  const path = groupVersionPath(slash < 0 ? "" : groupVersion.slice(0, slash), groupVersion.slice(slash + 1));
  try {
    const list = await client.raw<{ resources?: readonly ApiResource[] }>("GET", path, undefined, options);
    return list.resources ?? [];
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
