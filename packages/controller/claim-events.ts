import { type Client, Event, type V1Event } from "@csi-sidecars/kube";
import { apiCallOptions } from "./api-calls.ts";

/** How many are read at once. */
const pageSize = 500;

/**
 * The events about claims that the API server has for a reason, from one source or from all: what an earlier process has told. Events expire,
 * and what they said is forgotten then. The server reads all events of the cluster to find them.
 */
export async function* claimEvents(
  kube: Pick<Client, "list">,
  { reason, source }: { readonly reason: string; readonly source?: string },
  signal: AbortSignal,
): AsyncGenerator<V1Event> {
  const fieldSelector = `reason=${reason},involvedObject.kind=PersistentVolumeClaim${source ? `,source=${source}` : ""}`;
  let token: string | undefined;
  do {
    const page = { fieldSelector, limit: pageSize, ...(token && { continue: token }) };
    const { items, metadata } = await kube.list(Event, { ...page, ...apiCallOptions(signal) });
    yield* items;
    token = metadata.continue;
  } while (token);
}
