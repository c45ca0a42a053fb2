import type { Wire } from "./wire.ts";

/** The objects of the watch tests. */
export const maps = "/api/v1/namespaces/default/configmaps";

/** Requests a streaming list. */
export const initialList = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

export const createMap = async (admin: Wire, name: string, labels: object = {}) =>
  (await admin.post(maps, { metadata: { name, labels } })).body;

export const watchMaps = (admin: Wire, query: string) => admin.watch(`${maps}?watch=true&${query}`);

/** Events as `ADDED a`. */
export const told = (events: { type: string; object: { metadata: { name: string } } }[]) =>
  events.map(({ type, object }) => `${type} ${object.metadata.name ?? ""}`.trim());
