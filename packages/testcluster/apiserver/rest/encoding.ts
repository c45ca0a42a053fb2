import { apiVersionOfKind, type Kind } from "../../kinds/kind.ts";
import type { JsonObject } from "../../rules/json.ts";
import { notAcceptable } from "../../rules/status.ts";
import { isServedAsStored, toServed } from "../conversion.ts";
import { bodyOf, type Revision } from "../store/revision.ts";
import type { ResponseForm } from "./negotiation.ts";

/** The JSON of an object in the version of the kind. */
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

/** A bookmark event; one of them may mark the end of the initial events. */
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
  return isServedAsStored(kind) ? revision.body : bodyOf(toServed(kind, revision.object));
}

export type MetadataForm = Extract<ResponseForm, { readonly as: "metadata" }>;

/** An object of any kind, reduced to its metadata. */
export const partialObject = (apiVersion: string, { metadata }: JsonObject) => ({ kind: "PartialObjectMetadata", apiVersion, metadata });

export function partialText(form: MetadataForm, kind: Kind, { object }: Revision): string {
  if (form.of === "one") return JSON.stringify(partialObject(form.apiVersion, object));
  throw notAcceptable(`you requested PartialObjectMetadataList, but the requested object is not a list (${goType(kind)})`);
}

/** Unlike in other lists, every item has its kind; the items of an empty list are `null`. */
export function partialListText(form: MetadataForm, kind: Kind, metadata: ListMeta, items: readonly Revision[]): string {
  if (form.of === "one") {
    throw notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (${goType(kind)}List)`);
  }
  const partials = items.length > 0 ? items.map(({ object }) => partialObject(form.apiVersion, object)) : null;
  return JSON.stringify({ kind: "PartialObjectMetadataList", apiVersion: form.apiVersion, metadata, items: partials });
}

/** The Go type of the kind, which the real server names in this message. */
function goType(kind: Kind): string {
  if (kind.custom) return "*unstructured.Unstructured";
  const [first = ""] = kind.group.split(".", 1);
  return `*${first === "" || kind.viewOf !== undefined ? "core" : first}.${kind.kind}`;
}
