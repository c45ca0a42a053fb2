import type { Client } from "../client/client.ts";
import { strategicMergePatch } from "../client/patch.ts";
import { StatusError } from "../client/status-error.ts";
import { hasStatusCause, isAlreadyExists, isNotFound } from "../client/status-predicates.ts";
import { Event } from "../resources.ts";
import { TransportError } from "../transport/transport.ts";
import type { CorrelatedEvent } from "./event-correlator.ts";

/** The client calls that writing events takes: the role of a program that records events grants create and patch. */
export type EventClient = Pick<Client, "create" | "patch">;

export type WriteResult =
  | { readonly kind: "sent" }
  /** Nobody answered: worth another try. */
  | { readonly kind: "unreachable"; readonly error: TransportError }
  /** Another try would get the same answer. `expected`: an event of that name exists, or its namespace is going away. */
  | { readonly kind: "rejected"; readonly error: unknown; readonly expected: boolean };

/** One try to write an event: a PATCH of one that was told before, and a POST of a new one or where the old one has expired. */
export async function writeEvent(client: EventClient, correlated: CorrelatedEvent, signal: AbortSignal): Promise<WriteResult> {
  try {
    if (!(await patchExisting(client, correlated, signal))) await client.create(Event, correlated.event, { signal });
    return { kind: "sent" };
  } catch (error) {
    if (error instanceof TransportError) return { kind: "unreachable", error };
    const expected = error instanceof StatusError && (isAlreadyExists(error) || hasStatusCause(error, "NamespaceTerminating"));
    return { kind: "rejected", error, expected };
  }
}

async function patchExisting(client: EventClient, { event, patch }: CorrelatedEvent, signal: AbortSignal): Promise<boolean> {
  if (!patch) return false;
  try {
    await client.patch(Event, event.metadata, strategicMergePatch(patch), { signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
