import { apiVersionOfKind } from "../../kinds/kind.ts";
import { hasManagers, managersAfter, type Writing } from "../../rules/apply/apply.ts";
import { type Manager, managedFields } from "../../rules/apply/managers.ts";
import { type JsonObject, withAt } from "../../rules/json.ts";
import type { Target } from "./update-object.ts";
import { timestamp, type World, type Writer } from "./world.ts";

/** In whose name a write to the target counts. */
export const writingOf = (world: World, { kind, subresource }: Pick<Target, "kind" | "subresource">, writer: Writer): Writing => ({
  name: writer.manager ?? "unknown",
  apiVersion: apiVersionOfKind(kind),
  subresource: subresource ?? "",
  time: timestamp(world.clock.now()),
});

/** The object with its managers: as an apply has left them, or after any other write. Objects that were never applied have none. */
export function withManagers(world: World, target: Target, before: JsonObject, after: JsonObject, writer: Writer): JsonObject {
  if (writer.managers) return withManagedFields(after, writer.managers);
  const shape = target.kind.mergeShape?.();
  if (!shape || !hasManagers(before)) return after;
  return withManagedFields(after, managersAfter(before, after, shape, writingOf(world, target, writer)));
}

export function withManagedFields(object: JsonObject, managers: readonly Manager[]): JsonObject {
  const entries = managedFields(managers);
  return withAt(object, ["metadata", "managedFields"], entries.length === 0 ? undefined : entries);
}
