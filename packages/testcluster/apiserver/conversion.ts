import type { Kind } from "../kinds/kind.ts";
import { pruned } from "../rules/crd/structural-schema.ts";
import type { JsonObject } from "../rules/json.ts";

/** A stored object in the form in which a kind shows it. */
export function toServed(kind: Kind, object: JsonObject): JsonObject {
  if (kind.viewOf !== undefined) return eventsEvent(object);
  return kind.storageSchema && kind.schema ? pruned(object, kind.schema) : object;
}

/** Whether a kind shows objects as they are stored. */
export const isServedAsStored = ({ viewOf, storageSchema }: Kind): boolean => viewOf === undefined && storageSchema === undefined;

/** A custom object without what the version in which it is stored does not know: there is no conversion that would keep it. */
export const inStorageVersion = ({ storageSchema }: Kind, object: JsonObject): JsonObject =>
  storageSchema ? pruned(object, storageSchema) : object;

/** An object that a client wrote through a kind, in the form in which it is stored. */
export const toStored = (kind: Kind, object: JsonObject): JsonObject => (kind.viewOf === undefined ? object : coreEvent(object));

/** The members of an event that are named differently in the two groups: core first, events.k8s.io second. */
const renamed = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
] as const;

const toCore = new Map<string, string>(renamed.map(([core, events]) => [events, core]));
const toEvents = new Map<string, string>(renamed);

/** An events.k8s.io Event as the core Event that is stored. */
const coreEvent = (event: JsonObject): JsonObject => rename(event, toCore);

/** A stored core Event as events.k8s.io shows it. */
function eventsEvent(event: JsonObject): JsonObject {
  const { reportingController, reportingInstance, ...rest } = rename(event, toEvents);
  return { ...rest, ...(reportingController !== "" && { reportingController }), ...(reportingInstance !== "" && { reportingInstance }) };
}

function rename(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value]));
}
