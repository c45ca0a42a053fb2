import type { Kind } from "../../kinds/kind.ts";
import { tooLargeResourceVersion, tooOldResourceVersion } from "../../rules/status.ts";
import type { BodyStream } from "../http/connection.ts";
import { chunkBytes } from "../http/http1.ts";
import { type ServerState, tableOf } from "../server-state.ts";
import { type Change, eventType } from "../store/history.ts";
import type { Revision } from "../store/revision.ts";
import { eventText } from "./encoding.ts";
import { type ListOptions, plainVersion } from "./request-options.ts";
import { statusText } from "./response.ts";
import type { Selection } from "./selection.ts";
import type { WatchEncoding } from "./watch-encoding.ts";

const bookmarkInterval = 60_000;
/** A watch that lasts longer ends with a bookmark, so long before its end. */
const lastBookmark = 2_000;
const shortestTimeout = 30 * 60_000;
const initialBatch = 200;

/** An open watch. */
export interface Watch {
  /** Ends the stream as a timeout does. */
  end(): void;
  /** Breaks the connection; with `midEvent`, in the middle of a line. */
  cut(midEvent?: boolean): void;
}

interface WatchRequest {
  readonly state: ServerState;
  readonly kind: Kind;
  readonly selection: Selection;
  readonly options: ListOptions;
  /** The form in which the client wants to see objects. */
  readonly encode: WatchEncoding;
  /** Starts the response; not called when the request is refused. */
  readonly open: () => BodyStream;
  readonly on: {
    /** After each event of an object that was sent. */
    readonly event: () => void;
    /** Once, when the watch is over for whatever reason. */
    readonly close: () => void;
  };
}

/** Where a watch starts: with the present objects, or with the changes since a version. */
type Beginning = { readonly initial: readonly Revision[] } | { readonly since: number };

/** Serves one watch until it times out or its client disconnects. */
export function serveWatch(request: WatchRequest): Watch | undefined {
  const { state, kind, selection, options, encode } = request;
  const table = tableOf(state, kind);
  const beginning = beginningOf(request);
  const stream = request.open();
  if ("since" in beginning && beginning.since < table.watchFloor) {
    const { status } = tooOldResourceVersion(beginning.since, table.watchFloor);
    stream.write(chunkBytes(eventText("ERROR", statusText(status))));
    stream.end();
    return undefined;
  }

  let held: Uint8Array[] | undefined = [];
  let queued: Uint8Array[] = [];
  const flush = () => {
    if (queued.length > 0) stream.write(queued.length === 1 && queued[0] ? queued[0] : Buffer.concat(queued));
    queued = [];
  };
  const send = (bytes: Uint8Array) => {
    (held ?? queued).push(bytes);
    if (!held && queued.length === 1) queueMicrotask(flush);
  };
  const bookmark = (endsInitialEvents = false) => send(encode.bookmark(state.store.version, endsInitialEvents));
  const tell = (change: Change) => {
    const type = eventType(change, selection.matches);
    if (!type || ("since" in beginning && change.version <= beginning.since)) return;
    send(encode.change(change, type));
    request.on.event();
  };

  const stopListening = table.onChange(tell);
  let nextBookmark = options.allowWatchBookmarks ? state.clock.after(bookmarkInterval, regularBookmark) : undefined;
  function regularBookmark() {
    bookmark();
    nextBookmark = state.clock.after(bookmarkInterval, regularBookmark);
  }
  const timeoutMs = timeoutOf(options, state.random);
  const endsWithBookmark = options.allowWatchBookmarks && timeoutMs > lastBookmark;
  const finalBookmark = endsWithBookmark ? state.clock.after(timeoutMs - lastBookmark, () => bookmark()) : undefined;
  const timeout = state.clock.after(timeoutMs, () => end());
  const release = () => {
    stopListening();
    nextBookmark?.cancel();
    finalBookmark?.cancel();
    timeout.cancel();
    request.on.close();
  };
  const end = () => {
    release();
    for (const bytes of held ?? []) stream.write(bytes);
    flush();
    stream.end();
  };
  stream.onClose(release);

  if ("since" in beginning) {
    for (const change of table.since(beginning.since)) tell(change);
  } else if (options.sendInitialEvents && options.allowWatchBookmarks) {
    bookmark(true);
  }
  void sendInitial(encode, "initial" in beginning ? beginning.initial : [], stream, request.on.event).then(() => {
    const waiting = held ?? [];
    held = undefined;
    for (const bytes of waiting) send(bytes);
  });

  return {
    end,
    cut(midEvent = false) {
      flush();
      if (midEvent) stream.write(chunkBytes('{"type":"MODIFIED","object":{"kind":'));
      stream.cut();
    },
  };
}

function beginningOf({ state, kind, selection, options }: WatchRequest): Beginning {
  const asked = plainVersion(options.resourceVersion);
  const { version } = state.store;
  if (options.sendInitialEvents && asked > version) throw tooLargeResourceVersion(asked, version);
  if (options.sendInitialEvents === false && asked === 0) return { since: version };
  if (asked !== 0 && !options.sendInitialEvents) return { since: asked };
  const objects = [...tableOf(state, kind).values(selection.namespace)];
  return { initial: selection.filtered ? objects.filter(selection.matches) : objects };
}

/** Sends the initial events in batches, no faster than the client reads. */
async function sendInitial(encode: WatchEncoding, initial: readonly Revision[], stream: BodyStream, onEvent: () => void): Promise<void> {
  for (let from = 0; from < initial.length && !stream.closed; from += initialBatch) {
    const batch = initial.slice(from, from + initialBatch);
    stream.write(chunkBytes(batch.map(encode.added).join("")));
    for (const _ of batch) onEvent();
    await stream.drained();
  }
}

function timeoutOf({ timeoutSeconds }: ListOptions, random: () => number): number {
  return timeoutSeconds ? timeoutSeconds * 1000 : shortestTimeout * (1 + random());
}
