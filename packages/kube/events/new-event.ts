import { randomUUID } from "node:crypto";
import type { V1Event } from "../resources.ts";
import type { InvolvedObject } from "./involved-object.ts";

export type EventType = "Normal" | "Warning";

/** Metadata that every event of ours has. */
export type NamedEvent = V1Event & { metadata: { name: string; namespace: string } };

const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/**
 * Names for events, `<involved name>.<hex of unix nanoseconds>`. Clocks here count milliseconds: where in it a name begins is
 * chance, so that two processes do not find the same one, and a name asked for in the same millisecond gets the next nanosecond.
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

/** RFC 3339 with whole seconds, as `metav1.Time` is written. */
export function eventTime(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}

export interface Occurrence {
  readonly component: string;
  readonly about: InvolvedObject;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** The event object for something that happened for the first time. */
export function newEvent({ component, about, type, reason, message }: Occurrence, name: string, now: number): NamedEvent {
  const time = eventTime(now);
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
