import { Event, type V1Event } from "@csi-sidecars/kube";
import { type ClusterReader, foundIn } from "../access/read-cluster.ts";
import { plain } from "../text.ts";
import type { Evidence } from "./explanation.ts";

/** The events about an object. */
export interface ObservedEvents {
  /** Oldest first. */
  readonly events: readonly V1Event[];
  /** Why they could not be read: then that there are none says nothing. */
  readonly unreadEvents?: string;
}

/** The events about an object. Those about objects without namespace are in `default`. */
export async function eventsAbout(cluster: ClusterReader, uid: string | undefined, namespace = "default"): Promise<ObservedEvents> {
  if (uid === undefined) return { events: [] };
  const lookup = await cluster.list(Event, { namespace, fieldSelector: `involvedObject.uid=${uid}` });
  if (lookup.state === "unreadable") return { events: [], unreadEvents: lookup.because ?? "" };
  return { events: oldestFirst(foundIn(lookup) ?? []) };
}

export function oldestFirst(events: readonly V1Event[]): readonly V1Event[] {
  return events.toSorted((a, b) => lastSeen(a) - lastSeen(b) || versionOf(a) - versionOf(b));
}

/** Events tell seconds: of two in the same second the one that was written later is the newer one. */
const versionOf = ({ metadata }: V1Event) => Number(metadata?.resourceVersion ?? 0);

/** When an event last happened, in milliseconds since the epoch. */
export function lastSeen(event: V1Event): number {
  const time = event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata?.creationTimestamp;
  return time ? Date.parse(time) : 0;
}

/** When an event first happened, as the API server tells it. */
export function firstSeen({ firstTimestamp, eventTime, metadata }: V1Event): string | undefined {
  return firstTimestamp ?? eventTime ?? metadata?.creationTimestamp;
}

/** The controllers of kube-controller-manager use some of the reasons of sidecars: they do not speak for a driver. */
export function isFromSidecar(event: V1Event): boolean {
  return !/^(persistentvolume-controller|attachdetach-controller|volume_expand|default-scheduler|kubelet)$/.test(sourceOf(event));
}

function sourceOf(event: V1Event): string {
  return event.reportingComponent || event.source?.component || "";
}

/** The newest event with one of these reasons. */
export function newest(events: readonly V1Event[], ...reasons: readonly string[]): V1Event | undefined {
  return events.filter(({ reason = "" }) => reasons.includes(reason)).reduce<V1Event | undefined>(later, undefined);
}

function later(found: V1Event | undefined, event: V1Event): V1Event {
  return found && lastSeen(found) > lastSeen(event) ? found : event;
}

export function eventEvidence(event: V1Event): Evidence {
  const { kind = "", namespace, name = "" } = event.involvedObject;
  const count = event.series?.count ?? event.count ?? 1;
  const first = firstSeen(event);
  return {
    object: `${kind} ${namespace ? `${namespace}/` : ""}${name}`,
    field: `event ${event.reason ?? ""}${count > 1 ? ` (${count} times)` : ""}`,
    value: plain(event.message ?? ""),
    ...(first && { since: first }),
  };
}
