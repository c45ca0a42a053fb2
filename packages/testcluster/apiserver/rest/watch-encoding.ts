import type { Clock } from "@csi-sidecars/base";
import { apiVersionOfKind, type Kind } from "../../kinds/kind.ts";
import { chunkBytes } from "../http/http1.ts";
import { type Change, type EventType, eventRevision } from "../store/history.ts";
import type { Revision } from "../store/revision.ts";
import { type IncludedObject, includedObject, rowText } from "../table/table.ts";
import { bookmarkMetadata, bookmarkText, eventText, type MetadataForm, objectText, partialObject, partialText } from "./encoding.ts";
import type { ResponseForm } from "./negotiation.ts";

/** Encodes the events of a watch. */
export interface WatchEncoding {
  change(change: Change, type: EventType): Uint8Array;
  /** An initial event. */
  added(revision: Revision): string;
  bookmark(version: number, endsInitialEvents: boolean): Uint8Array;
}

export function watchEncoding(form: ResponseForm, kind: Kind, query: URLSearchParams, clock: Clock): WatchEncoding {
  switch (form.as) {
    case "objects":
      return objectsAsTheyAre(kind);
    case "metadata":
      return metadataAlone(kind, form);
    case "table":
      return rowsOfTable(kind, includedObject(query), clock);
  }
}

/** The objects themselves. */
const objectsAsTheyAre = (kind: Kind): WatchEncoding => ({
  change: onceForAll(`${kind.group}/${kind.version}`, (revision) => objectText(kind, revision)),
  added: (revision) => eventText("ADDED", objectText(kind, revision)),
  bookmark: (version, endsInitialEvents) => chunkBytes(bookmarkText(kind, version, endsInitialEvents)),
});

/** The metadata of the objects alone, bookmarks too. */
function metadataAlone(kind: Kind, form: MetadataForm): WatchEncoding {
  const text = (revision: Revision) => partialText(form, kind, revision);
  return {
    change: onceForAll(`metadata ${form.apiVersion}`, text),
    added: (revision) => eventText("ADDED", text(revision)),
    bookmark(version, endsInitialEvents) {
      const object = partialObject(form.apiVersion, { metadata: bookmarkMetadata(version, endsInitialEvents) });
      return chunkBytes(eventText("BOOKMARK", JSON.stringify(object)));
    },
  };
}

/** Encodes an event once for all watchers of the same form. */
function onceForAll(form: string, text: (revision: Revision) => string): WatchEncoding["change"] {
  return (change, type) => {
    const cacheKey = `${type} ${form}`;
    let bytes = change.encoded.get(cacheKey);
    if (!bytes) {
      const revision = eventRevision(change, type);
      bytes = chunkBytes(revision ? eventText(type, text(revision)) : "");
      change.encoded.set(cacheKey, bytes);
    }
    return bytes;
  };
}

/** Tables of one row each, for `kubectl get --watch`. */
function rowsOfTable(kind: Kind, include: IncludedObject, clock: Clock): WatchEncoding {
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
