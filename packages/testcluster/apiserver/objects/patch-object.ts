import { apiVersionOfKind } from "../../kinds/kind.ts";
import { goText } from "../../rules/go-text.ts";
import type { JsonObject } from "../../rules/json.ts";
import { applyJsonPatch } from "../../rules/json-patch.ts";
import { applyMergePatch } from "../../rules/merge-patch.ts";
import { decodedOutcome } from "../../rules/patch-outcome.ts";
import { notFound, unsupportedMediaType, unsupportedPatchType } from "../../rules/status.ts";
import { applyStrategicMergePatch } from "../../rules/strategic-merge.ts";
import { type Revision, storageKey } from "../store/revision.ts";
import { shownAs, storedFrom } from "../view.ts";
import { checkNames, replaceObject, type Target } from "./update-object.ts";
import { tableOf, type World, type Writer } from "./world.ts";

const strategic = "application/strategic-merge-patch+json";

/** A patch as it arrived. */
export interface Patch {
  /** Names one of three languages. */
  readonly contentType: string;
  readonly body: unknown;
  /** What is kept of the outcome: the fields that the kind knows. */
  readonly known: (patched: JsonObject) => JsonObject;
}

/** PATCH. */
export function patchObject(world: World, target: Target, { contentType, body, known }: Patch, writer: Writer): Revision {
  const { kind, namespace, name } = target;
  const existing = tableOf(world, kind).get(storageKey(namespace, name));
  if (!existing) throw notFound(kind, name);
  const current = { kind: kind.kind, apiVersion: apiVersionOfKind(kind), ...shownAs(kind, existing.object) };
  const outcome = applyPatch(target, contentType, current, body);
  const patched = decodedOutcome(
    () => (contentType === strategic ? goText(body) : JSON.stringify(outcome)),
    () => known(outcome),
  );
  checkNames(target, patched);
  return replaceObject(world, target, existing, storedFrom(kind, patched), writer, true);
}

/** Custom kinds have no merge keys to patch strategically by. */
const customPatchTypes = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];

function applyPatch(target: Target, contentType: string, current: JsonObject, patch: unknown): JsonObject {
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
