import { randomUUID } from "node:crypto";
import { type KubeObject, metav1Time } from "../object.ts";
import { apiVersionOf, type Resource } from "../resource.ts";
import type { V1Event } from "../resources.ts";

/** The object an event is about. */
export interface InvolvedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Left out for cluster-scoped objects. */
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** Cached objects do not carry their kind, so the resource supplies it: `events.event(involved(PersistentVolumeClaim, claim), ...)`. */
export function involved<T extends KubeObject>(resource: Resource<T>, object: T): InvolvedObject {
  const { name = "", namespace, uid, resourceVersion } = object.metadata ?? {};
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, namespace, uid, resourceVersion };
}

export type EventType = "Normal" | "Warning";

/** An event with the metadata that all of ours have. */
export type NamedEvent = V1Event & { metadata: { name: string; namespace: string } };

const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/**
 * Generates event names, `<involved name>.<hex of unix nanoseconds>`. The clock has milliseconds: the nanoseconds within are random,
 * so that two processes do not choose the same name, and a further name in the same millisecond gets the next nanosecond.
 */
export function eventNames(now: () => number, random: () => number): (involvedName: string) => string {
  let last = 0n;
  return (involvedName) => {
    const nanoseconds = BigInt(Math.trunc(now())) * 1_000_000n + BigInt(Math.floor(random() * 1_000_000));
    last = nanoseconds > last ? nanoseconds : last + 1n;
    const name = `${involvedName}.${last.toString(16)}`;
    return name.length <= 253 && dnsSubdomain.test(name) ? name : randomUUID();
  };
}

export interface Occurrence {
  readonly component: string;
  readonly about: InvolvedObject;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** The event for a first occurrence. */
export function newEvent({ component, about, type, reason, message }: Occurrence, name: string, now: number): NamedEvent {
  const time = metav1Time(now);
  return {
    metadata: { name, namespace: about.namespace || "default" },
    involvedObject: about,
    reason,
    message,
    type,
    source: { component },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    reportingComponent: component,
    reportingInstance: "",
  };
}
