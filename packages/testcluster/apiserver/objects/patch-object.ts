import { stringifyExactJson } from "@csi-sidecars/base";
import { apiVersionOfKind } from "../../kinds/kind.ts";
import { decodedOutcome } from "../../rules/admission/admission.ts";
import { applied, fieldsOfConfiguration } from "../../rules/apply/apply.ts";
import { goText } from "../../rules/field-error.ts";
import { unknownFields } from "../../rules/fields/known-fields.ts";
import { type JsonObject, stringAt } from "../../rules/json.ts";
import { applyJsonPatch } from "../../rules/patch/json-patch.ts";
import { applyMergePatch } from "../../rules/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../rules/patch/strategic-merge.ts";
import { notFound, plainError, unsupportedMediaType, unsupportedPatchType } from "../../rules/status.ts";
import { toServed, toStored } from "../conversion.ts";
import { type ServerState, type Target, tableOf, type Writer } from "../server-state.ts";
import { type Revision, storageKey } from "../store/revision.ts";
import { createObject } from "./create-object.ts";
import { writingOf } from "./metadata.ts";
import { checkNames, replaceObject } from "./update-object.ts";

const strategic = "application/strategic-merge-patch+json";

/** A patch as it was received. */
export interface Patch {
  /** One of three patch types. */
  readonly contentType: string;
  readonly body: unknown;
  /** The outcome without the fields that the kind does not know. */
  readonly known: (patched: JsonObject) => JsonObject;
}

/** PATCH. */
export function patchObject(state: ServerState, target: Target, { contentType, body, known }: Patch, writer: Writer): Revision {
  const { kind, namespace, name } = target;
  const existing = tableOf(state, kind).get(storageKey(namespace, name));
  if (!existing) throw notFound(kind, name);
  const current = { kind: kind.kind, apiVersion: apiVersionOfKind(kind), ...toServed(kind, existing.object) };
  const outcome = applyPatch(target, contentType, current, body);
  const patched = decodedOutcome(
    () => (contentType === strategic ? goText(body) : stringifyExactJson(outcome)),
    () => known(outcome),
  );
  checkNames(target, patched);
  return replaceObject(state, target, existing, toStored(kind, patched), writer, true);
}

/** Custom resources have no merge keys for strategic merge patches. */
const customPatchTypes = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];

export function applyPatch(target: Pick<Target, "kind">, contentType: string, current: JsonObject, patch: unknown): JsonObject {
  switch (contentType) {
    case "application/merge-patch+json":
      return applyMergePatch(current, patch);
    case "application/json-patch+json":
      return applyJsonPatch(current, patch);
    case strategic:
      if (target.kind.custom) throw unsupportedMediaType(customPatchTypes);
      return applyStrategicMergePatch(target.kind, current, patch);
    default:
      throw unsupportedPatchType();
  }
}

/** A server-side apply of all fields that the manager wants. `created` when there was no such object. */
export function applyObject(
  state: ServerState,
  target: Target,
  config: JsonObject,
  force: boolean,
  writer: Writer,
): { readonly revision: Revision; readonly created: boolean } {
  const { kind, namespace, name } = target;
  const shape = kind.mergeShape?.();
  if (!shape) throw unsupportedPatchType();
  checkNames(target, config);
  refuseUnknown(target, config);
  const by = writingOf(state, target, writer);
  const existing = tableOf(state, kind).get(storageKey(namespace, name));
  if (!existing) {
    if (target.subresource !== undefined) throw notFound(kind, name);
    const managers = [{ ...by, operation: "Apply" as const, fields: fieldsOfConfiguration(config, shape) }];
    return { revision: createObject(state, kind, namespace, toStored(kind, config), { ...writer, managers }), created: true };
  }
  const live = { kind: kind.kind, apiVersion: apiVersionOfKind(kind), ...toServed(kind, existing.object) };
  const { object, managers } = applied(live, config, shape, by, force);
  return { revision: replaceObject(state, target, existing, toStored(kind, object), { ...writer, managers }, true), created: false };
}

/** Applied fields get an owner, so unknown ones are refused. */
function refuseUnknown({ kind }: Target, config: JsonObject): void {
  const known = kind.knownFields?.();
  const unknown = known ? unknownFields(config, known).map((path) => `.${path}: field not declared in schema`) : [];
  if (unknown.length === 0) return;
  const what = `${stringAt(config, "metadata", "namespace")}/${stringAt(config, "metadata", "name")}; ${kind.group}/${kind.version}, Kind=${kind.kind}`;
  const why = unknown.length === 1 ? unknown[0] : `errors:\n${unknown.map((text) => `  ${text}`).join("\n")}`;
  throw plainError(`failed to create typed patch object (${what}): ${why}`);
}
