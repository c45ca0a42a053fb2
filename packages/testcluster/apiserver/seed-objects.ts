import type { JsonObject } from "../rules/json.ts";
import { isObject, stringAt } from "../rules/json.ts";
import { newMetadata } from "./objects/metadata.ts";
import { tableOf, timestamp, type World } from "./objects/world.ts";
import { keyOfObject, type Revision } from "./store/revision.ts";
import { storedFrom } from "./view.ts";

/**
 * Puts objects into the store as they are, status and all, past admission and HTTP: how a test or a benchmark gets a world with
 * thousands of objects in no time. What is there already under the same name is replaced.
 */
export function seedObjects(world: World, objects: Iterable<object>): readonly Revision[] {
  const stored: Revision[] = [];
  for (const object of objects) stored.push(seedObject(world, { ...object }));
  return stored;
}

function seedObject(world: World, object: JsonObject): Revision {
  const apiVersion = stringAt(object, "apiVersion");
  const kindName = stringAt(object, "kind");
  const kind = world.kinds.named(apiVersion, kindName);
  if (!kind) throw new Error(`cannot seed an object of apiVersion "${apiVersion}" and kind "${kindName}": the server does not serve it`);
  const given = isObject(object.metadata) ? object.metadata : {};
  const metadata = newMetadata(kind, given, {
    name: stringAt(given, "name"),
    namespace: kind.namespaced ? stringAt(given, "namespace") || "default" : undefined,
    uid: stringAt(given, "uid") || crypto.randomUUID(),
    creationTimestamp: stringAt(given, "creationTimestamp") || timestamp(world.clock.now()),
  });
  const deletion = given.deletionTimestamp ? { deletionTimestamp: given.deletionTimestamp, deletionGracePeriodSeconds: 0 } : {};
  const complete = storedFrom(kind, { ...object, metadata: { ...metadata, ...deletion } });
  return world.store.put(tableOf(world, kind), keyOfObject(complete), complete);
}
