import { apiVersionOfKind, type Kind } from "../../kinds/kind.ts";
import { bodyOf, type Revision } from "../store/revision.ts";
import { shownAs } from "../view.ts";

/** The JSON of an object as a kind shows it. */
export function objectText(kind: Kind, revision: Revision): string {
  return typesText(kind) + bodyText(kind, revision);
}

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** A list; items of built-in kinds do not repeat their `kind` and `apiVersion`, items of custom kinds do. */
export function listText(kind: Kind, metadata: ListMeta, items: readonly Revision[]): string {
  const opening = kind.custom ? typesText(kind) : "{";
  const texts = items.map((revision) => opening + bodyText(kind, revision));
  const head = { kind: kind.listKind ?? `${kind.kind}List`, apiVersion: apiVersionOfKind(kind), metadata };
  return `${JSON.stringify(head).slice(0, -1)},"items":[${texts.join(",")}]}`;
}

/** One line of a watch. */
export const eventText = (type: string, objectJson: string): string => `{"type":"${type}","object":${objectJson}}\n`;

/** Tells how far a watch has come; the first one of a watch that asked for it also ends the initial events. */
export function bookmarkText(kind: Kind, version: number, endsInitialEvents: boolean): string {
  const metadata = bookmarkMetadata(version, endsInitialEvents);
  return eventText("BOOKMARK", JSON.stringify({ kind: kind.kind, apiVersion: apiVersionOfKind(kind), metadata }));
}

export const bookmarkMetadata = (version: number, endsInitialEvents: boolean) => ({
  resourceVersion: String(version),
  ...(endsInitialEvents && { annotations: { "k8s.io/initial-events-end": "true" } }),
});

function typesText(kind: Kind): string {
  return `{"kind":"${kind.kind}","apiVersion":"${apiVersionOfKind(kind)}",`;
}

function bodyText(kind: Kind, revision: Revision): string {
  return kind.viewOf === undefined ? revision.body : bodyOf(shownAs(kind, revision.object));
}
