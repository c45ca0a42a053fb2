import { metav1Time } from "@csi-sidecars/kube";
import { apiVersionOfKind, type Kind } from "../../kinds/kind.ts";
import { hasManagers, managersAfter, type Writing } from "../../rules/apply/apply.ts";
import { type Manager, managedFields } from "../../rules/apply/managed-fields.ts";
import { isObject, type JsonObject, objectAt, withAt } from "../../rules/json.ts";
import type { ServerState, Target, Writer } from "../server-state.ts";

/** Fields that only the server sets; what a client writes there is dropped on create. */
const serverOwned = [
  "resourceVersion",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink",
  "managedFields",
];

interface Identity {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string;
  readonly creationTimestamp: string;
}

/** The metadata of a new object. */
export function newMetadata(kind: Kind, given: JsonObject, identity: Identity): JsonObject {
  const { name, namespace, uid, creationTimestamp } = identity;
  const { name: _name, namespace: _namespace, generateName, generation, ...rest } = withoutMembers(given, serverOwned);
  return withoutEmpty({
    name,
    generateName,
    namespace,
    uid,
    generation: kind.generation === undefined ? generation : kind.generation || undefined,
    creationTimestamp,
    ...rest,
  });
}

/** The metadata of an updated object that the client controls; admission refuses forbidden changes. */
export function changedMetadata(old: JsonObject, wanted: JsonObject): JsonObject {
  return withoutEmpty({
    ...withoutMembers(wanted, ["selfLink", "managedFields", "resourceVersion"]),
    namespace: old.namespace,
    generation: old.generation,
    resourceVersion: old.resourceVersion,
  });
}

export const metadataOf = (object: JsonObject): JsonObject => objectAt(object, "metadata");

function withoutMembers(object: JsonObject, members: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !members.includes(name)));
}

/** Go's `omitempty`: clients of typed libraries write `null`, `""`, `{}` and `[]` for what they do not set. */
function withoutEmpty(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** The field manager of a write. */
export const writingOf = (state: ServerState, { kind, subresource }: Pick<Target, "kind" | "subresource">, writer: Writer): Writing => ({
  name: writer.manager ?? "unknown",
  apiVersion: apiVersionOfKind(kind),
  subresource: subresource ?? "",
  time: metav1Time(state.clock.now()),
});

/** The object with its managed fields, after an apply or any other write. Objects that were never applied have none. */
export function withManagers(state: ServerState, target: Target, before: JsonObject, after: JsonObject, writer: Writer): JsonObject {
  if (writer.managers) return withManagedFields(after, writer.managers);
  const shape = target.kind.mergeShape?.();
  if (!shape || !hasManagers(before)) return after;
  return withManagedFields(after, managersAfter(before, after, shape, writingOf(state, target, writer)));
}

export function withManagedFields(object: JsonObject, managers: readonly Manager[]): JsonObject {
  const entries = managedFields(managers);
  return withAt(object, ["metadata", "managedFields"], entries.length === 0 ? undefined : entries);
}
