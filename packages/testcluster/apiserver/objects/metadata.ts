import type { Kind } from "../../kinds/kind.ts";
import { isObject, type JsonObject, objectAt } from "../../rules/json.ts";

/** Members that the server alone decides on; what a client writes there is dropped when an object is created. */
const serverOwned = [
  "resourceVersion",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink",
  "managedFields",
];

export interface Identity {
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

/** The metadata of a changed object as far as it is the client's; admission sees to what may not change. */
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
