import type { Client } from "../client/client.ts";
import { strategicMergePatch } from "../client/patch.ts";
import { hasStatusCause, isAlreadyExists, isNotFound, StatusError } from "../client/status-error.ts";
import { Event } from "../resources.ts";
import { TransportError } from "../transport/transport.ts";
import type { CorrelatedEvent } from "./event-correlator.ts";

/** What writing events needs: deployed roles grant create and patch on events. */
export type EventClient = Pick<Client, "create" | "patch">;

export type WriteResult =
  | { readonly kind: "sent" }
  /** No answer: worth a retry. */
  | { readonly kind: "unreachable"; readonly error: TransportError }
  /** A retry would get the same answer. `expected`: an event of that name exists, or its namespace is going away. */
  | { readonly kind: "rejected"; readonly error: unknown; readonly expected: boolean };

/** Writes an event once: a PATCH of one that was recorded before, a POST of a new one or where the old one has expired. */
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
