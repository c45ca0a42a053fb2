import type { Clock } from "@csi-sidecars/base";
import { apiVersionOfKind, type Kind } from "../../kinds/kind.ts";
import { chunkBytes } from "../http/response-bytes.ts";
import { type Change, type EventType, eventRevision } from "../store/change.ts";
import type { Revision } from "../store/revision.ts";
import { type IncludedObject, rowText } from "../table/table.ts";
import { bookmarkMetadata, bookmarkText, eventText, objectText } from "./encode.ts";

/** How the events of a watch are written. */
export interface WatchEncoding {
  change(change: Change, type: EventType): Uint8Array;
  /** An object that was there when the watch began. */
  added(revision: Revision): string;
  bookmark(version: number, endsInitialEvents: boolean): Uint8Array;
}

/** The objects themselves. The bytes of an event are made once for all who watch through the same kind. */
export const objectsAsTheyAre = (kind: Kind): WatchEncoding => ({
  change(change, type) {
    const cacheKey = `${type} ${kind.group}/${kind.version}`;
    let bytes = change.encoded.get(cacheKey);
    if (!bytes) {
      const revision = eventRevision(change, type);
      bytes = chunkBytes(revision ? eventText(type, objectText(kind, revision)) : "");
      change.encoded.set(cacheKey, bytes);
    }
    return bytes;
  },
  added: (revision) => eventText("ADDED", objectText(kind, revision)),
  bookmark: (version, endsInitialEvents) => chunkBytes(bookmarkText(kind, version, endsInitialEvents)),
});

/** Tables of one row each, for `kubectl get --watch`. */
export function rowsOfTable(kind: Kind, include: IncludedObject, clock: Clock): WatchEncoding {
  let first = true;
  const row = (object: Revision["object"], version: number): string => {
    const text = rowText({ kind, include, now: clock.now() }, object, version, first);
    first = false;
    return text;
  };
  return {
    change(change, type) {
      const revision = eventRevision(change, type);
      return chunkBytes(revision ? eventText(type, row(revision.object, revision.version)) : "");
    },
    added: (revision) => eventText("ADDED", row(revision.object, revision.version)),
    bookmark(version, endsInitialEvents) {
      const object = { kind: kind.kind, apiVersion: apiVersionOfKind(kind), metadata: bookmarkMetadata(version, endsInitialEvents) };
      return chunkBytes(eventText("BOOKMARK", row(object, version)));
    },
  };
}
