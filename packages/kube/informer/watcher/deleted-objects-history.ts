import { type Clock, GcAfterList } from "@csi-sidecars/base";
import type { Client, Status } from "../../client/client.ts";
import { StatusError } from "../../client/status-error.ts";
import type { KubeObject } from "../../object.ts";
import type { Resource } from "../../resource.ts";
import { isExpired } from "./watch-errors.ts";

/** A server that restarts is back within these attempts, though without its history. */
const maxAttempts = 5;
/**
 * How long the server keeps one watch of its history open. Two seconds before the end it sends a bookmark, which comes after all that it
 * remembers; nothing newer is awaited. The bookmark of a busy server may be older than the list, and what was deleted in between is still
 * to come.
 */
const watchSeconds = 3;
/** So many watches in a row that bring nothing new are the end of the history: not every server sends bookmarks, or those of its last change. */
const maxSilentWatches = 3;

/**
 * Reports the objects of a kind that were deleted before now, oldest first and in their last state, as far back as the API
 * server's watch history reaches: at least a minute on a server that has been up that long, hours where little happens. For
 * controllers that were killed and missed the deletions. Failed requests are retried a few times, so an object may be reported twice.
 *
 * ```ts
 * await replayDeletedObjects(client, VolumeAttachment, { clock, signal, onDelete: (attachment) => detach(attachment) });
 * ```
 */
export async function replayDeletedObjects<T extends KubeObject>(
  client: Pick<Client, "list" | "watch">,
  resource: Resource<T>,
  { clock, signal, onDelete }: { readonly clock: Clock; readonly signal: AbortSignal; readonly onDelete: (object: T) => void },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readHistory(client, resource, signal, onDelete);
    } catch (error) {
      // A server that keeps no history, or does not say how far it reaches, will not do so later.
      if (signal.aborted || attempt === maxAttempts || isExpired(error)) throw error;
    }
    await clock.sleep(1_000 * attempt, signal);
  }
}

async function readHistory<T extends KubeObject>(
  client: Pick<Client, "list" | "watch">,
  resource: Resource<T>,
  signal: AbortSignal,
  onDelete: (object: T) => void,
): Promise<void> {
  const { resourceVersion: now = "" } = (await client.list(resource, { limit: 1, signal })).metadata;
  // After many changes it is longer than the list, and nearly all of it is garbage.
  const gc = new GcAfterList();
  let from: string | undefined = "1";
  for (let silent = 0; from !== undefined && silent < maxSilentWatches && !signal.aborted; ) {
    const span: WatchedSpan = await watchHistory(client, resource, { from, now, gc }, signal, onDelete);
    if (span.expired && span.next === from) throw new StatusError(span.expired);
    silent = span.next === from ? silent + 1 : 0;
    from = span.next;
  }
  gc.listDone();
}

interface WatchedSpan {
  /**
   * Where to continue; `undefined` at the end of the history. A server that no longer has a version names the oldest it has. A busy one
   * may end a watch before it has sent anything.
   */
  readonly next: string | undefined;
  readonly expired?: Status;
}

async function watchHistory<T extends KubeObject>(
  client: Pick<Client, "watch">,
  resource: Resource<T>,
  { from, now, gc }: { readonly from: string; readonly now: string; readonly gc: GcAfterList },
  signal: AbortSignal,
  onDelete: (object: T) => void,
): Promise<WatchedSpan> {
  let last = from;
  const options = { resourceVersion: from, timeoutSeconds: watchSeconds, allowWatchBookmarks: true, signal };
  try {
    for await (const { type, object } of await client.watch(resource, options)) {
      if (type === "ERROR") throw new StatusError(object);
      gc.objectsRead(1);
      last = object.metadata?.resourceVersion ?? "";
      if (type === "BOOKMARK") return { next: BigInt(last) < BigInt(now) ? last : undefined };
      if (BigInt(last) > BigInt(now)) return { next: undefined };
      if (type === "DELETED") onDelete(object);
    }
  } catch (error) {
    if (!(error instanceof StatusError && isExpired(error))) throw error;
    return { next: oldestVersionIn(error) ?? from, expired: error.status };
  }
  return { next: last === now ? undefined : last };
}

function oldestVersionIn({ message }: StatusError): string | undefined {
  return /^too old resource version: \d+ \((\d+)\)$/.exec(message)?.[1];
}
