import { eventReasons } from "../event-reasons.ts";
import type { Content, Snapshot } from "../fields.ts";
import { messages } from "../messages.ts";
import type { Problem } from "../report-problem.ts";
import { contentNameOf, isBoundTo, isFreeFor, isPreProvisioned } from "./binding.ts";

/** The content that a snapshot is bound to or is to be bound to, as far as it exists; or why it cannot be used, for both of the events about it. */
export type FoundContent =
  | { readonly content: Content | undefined; readonly problem?: undefined }
  | { readonly problem: Problem; readonly cause: string };

export function findContent(snapshot: Snapshot, contents: { get(name: string): Content | undefined }): FoundContent {
  const name = contentNameOf(snapshot);
  const content = name === undefined ? undefined : contents.get(name);
  if (name === undefined || !content) return { content: undefined };
  const { metadata } = snapshot;
  const key = `${metadata.namespace}/${metadata.name}`;
  const isStatic = isPreProvisioned(snapshot);
  const { source } = content.spec ?? {};
  if (isStatic ? source?.snapshotHandle === undefined : source?.volumeHandle === undefined) {
    const message = isStatic ? messages.contentNotPreProvisioned() : messages.contentNotDynamic(name);
    const [wanted, found] = isStatic ? ["pre-provisioned", "dynamically provisioned"] : ["dynamically provisioned", "pre-provisioned"];
    const cause = messages.contentOfOtherKind(key, wanted, name, found);
    return { problem: { reason: eventReasons.contentMismatch.reason, message, notReady: true }, cause };
  }
  if (!isBoundTo(content, snapshot) && !(isStatic && isFreeFor(content, snapshot))) {
    const message = messages.contentOfOther(name);
    return { problem: { reason: eventReasons.contentMisbound.reason, message, notReady: true }, cause: message };
  }
  return { content };
}
