import { notAcceptable } from "../../rules/status.ts";

/** The form in which a client wants objects: whole, as a Table, or as PartialObjectMetadata. */
export type ResponseForm =
  | { readonly as: "objects" }
  | { readonly as: "table" }
  | { readonly as: "metadata"; readonly of: "one" | "list"; readonly apiVersion: string };

/** Reads the Accept header as the real server does: the first form, by the client's preference, that is supported. */
export function responseForm(accept: string | undefined): ResponseForm {
  if (!accept) return objects;
  const clauses = accept.split(",").map(clauseOf);
  clauses.sort((a, b) => b.quality - a.quality || a.wildcards - b.wildcards);
  for (const { media, parameters } of clauses) {
    const form = spokenMedia.includes(media) ? formOf(parameters) : undefined;
    if (form) return form;
  }
  throw notAcceptable("only the following media types are accepted: application/json");
}

const objects: ResponseForm = { as: "objects" };
const spokenMedia = ["application/json", "application/*", "*/*"];

interface Clause {
  readonly media: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
  readonly wildcards: number;
}

function clauseOf(text: string): Clause {
  const [media = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters = new Map(rest.map((part): [string, string] => [part.split("=", 1)[0] ?? "", part.slice(part.indexOf("=") + 1)]));
  const quality = Number(parameters.get("q") ?? 1);
  return { media, parameters, quality: Number.isNaN(quality) ? 1 : quality, wildcards: media.split("*").length - 1 };
}

/** `undefined` for an unknown form: the client may accept another one. */
function formOf(parameters: ReadonlyMap<string, string>): ResponseForm | undefined {
  const [as, group, version] = ["as", "g", "v"].map((name) => parameters.get(name) ?? "");
  if (!as && !group && !version) return objects;
  if (group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  const apiVersion = `${group}/${version}`;
  if (as === "PartialObjectMetadata") return { as: "metadata", of: "one", apiVersion };
  if (as === "PartialObjectMetadataList") return { as: "metadata", of: "list", apiVersion };
  return as === "Table" && version === "v1" ? { as: "table" } : undefined;
}
