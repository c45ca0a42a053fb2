import { dictionary, parseExactJson } from "@csi-sidecars/base";
import { isObject, type JsonObject } from "../rules/json.ts";
import { keyOfObject } from "./store/revision.ts";
import { Store } from "./store/store.ts";

/** All that a server knows, as plain JSON: what a playground keeps between two runs. */
export interface Snapshot {
  readonly resourceVersion: number;
  /** Objects by group resource. */
  readonly objects: Readonly<Record<string, readonly JsonObject[]>>;
}

export function takeSnapshot(store: Store): Snapshot {
  const objects = dictionary<JsonObject[]>();
  for (const table of store.tables) {
    if (table.size > 0) objects[table.groupResource] = [...table.values()].map((revision) => revision.object);
  }
  return { resourceVersion: store.version, objects };
}

/** A store with the objects of the snapshot, each at the version it had; nothing older can be watched. */
export function restoreSnapshot(snapshot: Snapshot, window?: number): Store {
  const store = new Store({ window, version: snapshot.resourceVersion });
  for (const [groupResource, objects] of Object.entries(snapshot.objects)) {
    const table = store.table(groupResource);
    for (const object of objects) table.restore(keyOfObject(object), object);
  }
  return store;
}

/** Checks that text is a snapshot; `source` names the file in the error. */
export function parseSnapshot(text: string, source: string): Snapshot {
  const parsed: unknown = parseExactJson(text);
  if (!isObject(parsed) || typeof parsed.resourceVersion !== "number" || !isObject(parsed.objects)) {
    throw new Error(
      `${source} is not a snapshot of a test cluster: "resourceVersion" and "objects" are missing. Remove the file to start with an empty cluster.`,
    );
  }
  const objects = dictionary<readonly JsonObject[]>();
  for (const [groupResource, list] of Object.entries(parsed.objects))
    objects[groupResource] = Array.isArray(list) ? list.filter(isObject) : [];
  return { resourceVersion: parsed.resourceVersion, objects };
}
