import type { ListOptions, WatchOptions } from "./client.ts";

type Value = string | number | boolean | undefined;

/** `?a=1&b=2`, or nothing when no value is set. An empty text counts as not set, as everywhere in the Kubernetes API. */
export function query(values: Readonly<Record<string, Value>>): string {
  let text = "";
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined && value !== "") text += `${text ? "&" : "?"}${key}=${encodeURIComponent(value)}`;
  }
  return text;
}

export function listQuery(o: ListOptions): string {
  return query({
    continue: o.continue,
    fieldSelector: o.fieldSelector,
    labelSelector: o.labelSelector,
    limit: o.limit,
    resourceVersion: o.resourceVersion,
    resourceVersionMatch: o.resourceVersionMatch,
  });
}

export function watchQuery(o: WatchOptions): string {
  return query({
    allowWatchBookmarks: o.allowWatchBookmarks,
    fieldSelector: o.fieldSelector,
    labelSelector: o.labelSelector,
    resourceVersion: o.resourceVersion,
    resourceVersionMatch: o.resourceVersionMatch,
    sendInitialEvents: o.sendInitialEvents,
    timeoutSeconds: o.timeoutSeconds,
    watch: true,
  });
}

export function writeQuery(o: { readonly dryRun?: boolean } | undefined): string {
  return o?.dryRun ? "?dryRun=All" : "";
}
