import { type Client, Event, type V1Event } from "@csi-sidecars/kube";

/** What the cluster complains about most recently: why a step is not seen yet. */
export async function lastWarning(admin: Client): Promise<string | undefined> {
  const { items } = await admin.list(Event);
  const newest = items.filter(({ type }) => type === "Warning").sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))[0];
  if (!newest) return undefined;
  const { reason, message, involvedObject } = newest;
  return `${reason} ${involvedObject.kind}/${involvedObject.name}: ${message}`;
}

const timeOf = ({ series, lastTimestamp, eventTime, metadata }: V1Event): string =>
  series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata?.creationTimestamp ?? "";
