import type { Kind } from "../../kinds/kind.ts";
import type { JsonObject } from "../../rules/json.ts";
import { notAcceptable } from "../../rules/status.ts";
import type { Revision } from "../store/revision.ts";
import type { ListMeta } from "./encode.ts";
import type { ResponseForm } from "./response-form.ts";

export type MetadataForm = Extract<ResponseForm, { readonly as: "metadata" }>;

/** An object of any kind, reduced to its metadata. */
export const partialObject = (apiVersion: string, { metadata }: JsonObject) => ({ kind: "PartialObjectMetadata", apiVersion, metadata });

export function partialText(form: MetadataForm, kind: Kind, { object }: Revision): string {
  if (form.of === "one") return JSON.stringify(partialObject(form.apiVersion, object));
  throw notAcceptable(`you requested PartialObjectMetadataList, but the requested object is not a list (${goType(kind)})`);
}

/** Every item says what it is, unlike those of other lists; the items of an empty one are `null`. */
export function partialListText(form: MetadataForm, kind: Kind, metadata: ListMeta, items: readonly Revision[]): string {
  if (form.of === "one") {
    throw notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (${goType(kind)}List)`);
  }
  const partials = items.length > 0 ? items.map(({ object }) => partialObject(form.apiVersion, object)) : null;
  return JSON.stringify({ kind: "PartialObjectMetadataList", apiVersion: form.apiVersion, metadata, items: partials });
}

/** What the real server calls the kind in its own memory. */
function goType(kind: Kind): string {
  if (kind.custom) return "*unstructured.Unstructured";
  const [first = ""] = kind.group.split(".", 1);
  return `*${first === "" || kind.viewOf !== undefined ? "core" : first}.${kind.kind}`;
}
