import type { Kind } from "../../kinds/kind.ts";
import { notSupported } from "../../rules/field-error.ts";
import { type KnownFields, knownObject, unknownFields } from "../../rules/fields/known-fields.ts";
import { mayHaveDuplicates, strictDecodingErrors } from "../../rules/fields/strict-decoding.ts";
import { isObject, type JsonObject } from "../../rules/json.ts";
import { invalidKind, undecodable } from "../../rules/status.ts";
import type { OptionsKind } from "./request-options.ts";

/** How a write with unknown or duplicate fields is treated: they are dropped silently, dropped with a warning, or the write is refused. */
type FieldValidation = "Ignore" | "Warn" | "Strict";

export function fieldValidation(query: URLSearchParams, optionsKind: OptionsKind): FieldValidation {
  const given = query.get("fieldValidation") ?? "";
  if (given === "") return "Warn";
  if (given === "Ignore" || given === "Warn" || given === "Strict") return given;
  throw invalidKind("meta.k8s.io", optionsKind, "", [notSupported("fieldValidation", given, ["", "Ignore", "Strict", "Warn"])]);
}

/** How the fields of one write are checked. */
export interface FieldCheck {
  readonly validation: FieldValidation;
  /** Adds a Warning header to the response. */
  readonly warn: (text: string) => void;
}

/** The object of a create or update without unknown fields. */
export function withKnownFields(kind: Kind, object: JsonObject, text: string, check: FieldCheck): JsonObject {
  const known = kind.knownFields?.();
  if (!known) return object;
  const kept = knownObject(object, known);
  if (check.validation === "Ignore" || (kept === object && !mayHaveDuplicates(text, object))) return kept;
  const faults = kind.custom
    ? [...strictDecodingErrors(text, undefined), ...unknownFields(object, known).map(unknownField)]
    : strictDecodingErrors(text, known);
  report(kind, faults, check);
  return kept;
}

/** The outcome of a patch without unknown fields. */
export function patchedFields(kind: Kind, patched: JsonObject, patch: unknown, text: string, check: FieldCheck): JsonObject {
  const known = kind.knownFields?.();
  const kept = known ? knownObject(patched, known) : patched;
  if (check.validation === "Ignore") return kept;
  const faults = [
    ...patchDocumentErrors(patch, text),
    ...(known && kept !== patched ? unknownFields(patched, known).map(unknownField) : []),
  ];
  report(kind, faults, check);
  return kept;
}

const unknownField = (path: string): string => `unknown field ${JSON.stringify(path)}`;

const operationMembers: ReadonlyMap<string, undefined> = new Map(["op", "path", "from", "value"].map((member) => [member, undefined]));
const operationList: KnownFields = { is: "list", items: { is: "struct", fields: operationMembers, open: false } };

/** Unknown and duplicate fields in the patch document itself. */
function patchDocumentErrors(patch: unknown, text: string): readonly string[] {
  const operations = Array.isArray(patch);
  const strange = operations && patch.some((one) => isObject(one) && Object.keys(one).some((name) => !operationMembers.has(name)));
  if (!strange && !mayHaveDuplicates(text, patch)) return [];
  return strictDecodingErrors(text, operations ? operationList : undefined).map((fault) => (operations ? `json patch ${fault}` : fault));
}

function report(kind: Kind, faults: readonly string[], { validation, warn }: FieldCheck): void {
  if (faults.length === 0) return;
  if (validation === "Strict") throw undecodable(kind, `strict decoding error: ${faults.join(", ")}`);
  for (const fault of faults) warn(fault);
}
