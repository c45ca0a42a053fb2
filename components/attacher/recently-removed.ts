import { type Client, isGone, isResourceExpired, StatusError, type V1VolumeAttachment, VolumeAttachment } from "@csi-sidecars/kube";

/** How long the server keeps one look at its history open. What it remembers it sends at once; then nothing more is awaited. */
const lookSeconds = 1;

/**
 * Tells of the attachments that were removed before now, oldest first, as far back as the API server remembers: that is a minute at
 * least on a server that is up so long, and hours where little happens. A process that was killed could not see them go.
 */
export async function recentlyRemoved(
  client: Pick<Client, "list" | "watch">,
  signal: AbortSignal,
  tell: (attachment: V1VolumeAttachment) => void,
): Promise<void> {
  const { resourceVersion: now = "" } = (await client.list(VolumeAttachment, { limit: 1, signal })).metadata;
  let from: string | undefined = "1";
  while (from !== undefined && !signal.aborted) {
    try {
      from = await look(client, { from, now }, signal, tell);
    } catch (error) {
      const oldest = oldestKept(error);
      if (oldest === undefined || oldest === from) throw error;
      from = oldest;
    }
  }
}

/** Answers from where to look on; `undefined` when there is nothing more to see. */
async function look(
  client: Pick<Client, "watch">,
  { from, now }: { readonly from: string; readonly now: string },
  signal: AbortSignal,
  tell: (attachment: V1VolumeAttachment) => void,
): Promise<string | undefined> {
  let last: string | undefined;
  for await (const { type, object } of await client.watch(VolumeAttachment, {
    resourceVersion: from,
    timeoutSeconds: lookSeconds,
    signal,
  })) {
    if (type === "ERROR") throw new StatusError(object);
    last = object.metadata?.resourceVersion ?? "";
    if (BigInt(last) > BigInt(now)) return undefined;
    if (type === "DELETED") tell(object);
  }
  return last === now ? undefined : last;
}

/** The server that does not have a version says which is the oldest it has. */
function oldestKept(error: unknown): string | undefined {
  if (!(error instanceof Error && (isResourceExpired(error) || isGone(error)))) return undefined;
  return /^too old resource version: \d+ \((\d+)\)$/.exec(error.message)?.[1];
}
