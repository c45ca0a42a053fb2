import type { DriverClient } from "@csi-sidecars/csi";
import type { StorageLook } from "./facts.ts";

/** Everything that ListVolumes has, page by page. Entries that are no volumes are left out, as the attacher does. */
export async function listStorage(driver: Pick<DriverClient, "controller">, timeoutMs: number): Promise<StorageLook> {
  const found = new Map<string, readonly string[]>();
  const tokens = new Set<string>();
  for (let startingToken = ""; ; ) {
    const { entries, nextToken } = await driver.controller.listVolumes({ startingToken, maxEntries: 0 }, { timeoutMs });
    for (const { volume, status } of entries) if (volume) found.set(volume.volumeId, status?.publishedNodeIds ?? []);
    if (nextToken === "") return found;
    if (tokens.has(nextToken)) throw new Error(`the driver gives the page ${JSON.stringify(nextToken)} of its list again and again`);
    tokens.add(nextToken);
    startingToken = nextToken;
  }
}
