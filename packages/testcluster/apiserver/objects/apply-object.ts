import { apiVersionOfKind } from "../../kinds/kind.ts";
import { applied, fieldsOfConfiguration } from "../../rules/apply/apply.ts";
import { unknownFields } from "../../rules/fields/known-fields.ts";
import { type JsonObject, stringAt } from "../../rules/json.ts";
import { notFound, plainError, unsupportedPatchType } from "../../rules/status.ts";
import { type Revision, storageKey } from "../store/revision.ts";
import { shownAs, storedFrom } from "../view.ts";
import { createObject } from "./create-object.ts";
import { writingOf } from "./managed-fields.ts";
import { checkNames, replaceObject, type Target } from "./update-object.ts";
import { tableOf, type World, type Writer } from "./world.ts";

/** A server-side apply: the fields that a manager wants, all of them and no others. `created` when there was no such object. */
export function applyObject(
  world: World,
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
  const by = writingOf(world, target, writer);
  const existing = tableOf(world, kind).get(storageKey(namespace, name));
  if (!existing) {
    if (target.subresource !== undefined) throw notFound(kind, name);
    const managers = [{ ...by, operation: "Apply" as const, fields: fieldsOfConfiguration(config, shape) }];
    return { revision: createObject(world, kind, namespace, storedFrom(kind, config), { ...writer, managers }), created: true };
  }
  const live = { kind: kind.kind, apiVersion: apiVersionOfKind(kind), ...shownAs(kind, existing.object) };
  const { object, managers } = applied(live, config, shape, by, force);
  return { revision: replaceObject(world, target, existing, storedFrom(kind, object), { ...writer, managers }, true), created: false };
}

/** What is applied must be owned, so it must be known. */
function refuseUnknown({ kind }: Target, config: JsonObject): void {
  const known = kind.knownFields?.();
  const unknown = known ? unknownFields(config, known).map((path) => `.${path}: field not declared in schema`) : [];
  if (unknown.length === 0) return;
  const what = `${stringAt(config, "metadata", "namespace")}/${stringAt(config, "metadata", "name")}; ${kind.group}/${kind.version}, Kind=${kind.kind}`;
  const why = unknown.length === 1 ? unknown[0] : `errors:\n${unknown.map((text) => `  ${text}`).join("\n")}`;
  throw plainError(`failed to create typed patch object (${what}): ${why}`);
}
