import type { DriverClient } from "@csi-sidecars/csi";
import { whileDoing } from "./attachment-writes.ts";

/** By volume id, the ids of the nodes that the driver says it is published to. */
export type PublishedNodes = ReadonlyMap<string, readonly string[]>;

/**
 * Asks the driver what is attached where. Each page has the time limit to itself, so that many volumes only take longer; a page
 * that fails fails the whole list, as half of it would make attached volumes look lost.
 */
export async function listPublished(
  controller: Pick<DriverClient["controller"], "listVolumes">,
  options: { readonly maxEntries: number; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<PublishedNodes> {
  const { maxEntries, timeoutMs, signal } = options;
  const published = new Map<string, readonly string[]>();
  const asked = new Set<string>();
  let startingToken = "";
  do {
    if (asked.has(startingToken)) throw new Error("failed to ListVolumes: the driver gave the same next_token twice");
    asked.add(startingToken);
    const page = await controller.listVolumes({ maxEntries, startingToken }, { timeoutMs, signal }).catch((error: unknown) => {
      throw whileDoing("failed to ListVolumes: failed to list volumes", error);
    });
    for (const { volume, status } of page.entries) if (volume && status) published.set(volume.volumeId, status.publishedNodeIds);
    startingToken = page.nextToken;
  } while (startingToken !== "");
  return published;
}
