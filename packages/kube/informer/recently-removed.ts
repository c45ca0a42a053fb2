import type { Clock } from "@csi-sidecars/base";
import type { Client, Status } from "../client/client.ts";
import { StatusError } from "../client/status-error.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import { isExpired } from "./watch-failures.ts";

/** A server that restarts is back within them, though without its history. */
const attempts = 5;
/** How long the server keeps one look at its history open. What it remembers it sends at once; then nothing more is awaited. */
const lookSeconds = 1;

/**
 * Tells of the objects of a kind that were removed before now, oldest first and as they were last, as far back as the API server
 * remembers: that is a minute at least on a server that is up so long, and hours where little happens. For controllers that were
 * killed and could not see them go. Where the server cannot be asked, that is tried some times more; an object may be told of twice.
 *
 * ```ts
 * await recentlyRemoved(client, VolumeAttachment, { clock, signal, tell: (attachment) => detach(attachment) });
 * ```
 */
export async function recentlyRemoved<T extends KubeObject>(
  client: Pick<Client, "list" | "watch">,
  resource: Resource<T>,
  { clock, signal, tell }: { readonly clock: Clock; readonly signal: AbortSignal; readonly tell: (object: T) => void },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readHistory(client, resource, signal, tell);
    } catch (error) {
      // A server that keeps no history, or does not say how far it goes back, will not do so later.
      if (signal.aborted || attempt === attempts || isExpired(error)) throw error;
    }
    await clock.sleep(1_000 * attempt, signal);
  }
}

async function readHistory<T extends KubeObject>(
  client: Pick<Client, "list" | "watch">,
  resource: Resource<T>,
  signal: AbortSignal,
  tell: (object: T) => void,
): Promise<void> {
  const { resourceVersion: now = "" } = (await client.list(resource, { limit: 1, signal })).metadata;
  let from: string | undefined = "1";
  while (from !== undefined && !signal.aborted) {
    const seen: Seen = await look(client, resource, { from, now }, signal, tell);
    if (seen.expired && seen.next === from) throw new StatusError(seen.expired);
    from = seen.next;
  }
}

/** From where to look on; `undefined` when there is nothing more to see. A server that does not have a version says which is its oldest. */
interface Seen {
  readonly next: string | undefined;
  readonly expired?: Status;
}

async function look<T extends KubeObject>(
  client: Pick<Client, "watch">,
  resource: Resource<T>,
  { from, now }: { readonly from: string; readonly now: string },
  signal: AbortSignal,
  tell: (object: T) => void,
): Promise<Seen> {
  let last: string | undefined;
  try {
    for await (const { type, object } of await client.watch(resource, { resourceVersion: from, timeoutSeconds: lookSeconds, signal })) {
      if (type === "ERROR") throw new StatusError(object);
      last = object.metadata?.resourceVersion ?? "";
      if (BigInt(last) > BigInt(now)) return { next: undefined };
      if (type === "DELETED") tell(object);
    }
  } catch (error) {
    if (!(error instanceof StatusError && isExpired(error))) throw error;
    return { next: oldestNamed(error) ?? from, expired: error.status };
  }
  return { next: last === now ? undefined : last };
}

function oldestNamed({ message }: StatusError): string | undefined {
  return /^too old resource version: \d+ \((\d+)\)$/.exec(message)?.[1];
}
