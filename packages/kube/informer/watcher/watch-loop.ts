import type { KubeObject } from "../../object.ts";
import { type OpenWatch, openWatch } from "./open-watch.ts";
import { isExpired, isServerBusy } from "./watch-errors.ts";
import type { WatchSession } from "./watch-session.ts";
import { WatcherError, type WatcherEvent } from "./watcher-event.ts";

/** After this many watches in a row that ended within a second, the next one waits for the backoff. */
const toleratedBriefWatches = 5;

/** Watches from where the list ended, reopening the watch as often as needed. Returns or throws when only a new list can help. */
export async function* watchLoop<T extends KubeObject, P>(
  session: WatchSession<T, P>,
  opened: OpenWatch<T> | undefined,
): AsyncGenerator<WatcherEvent<P>, void, undefined> {
  let briefInARow = 0;
  for (let watch = opened; ; watch = undefined) {
    try {
      watch ??= await openWatch(session, { resourceVersion: session.position.last });
    } catch (cause) {
      const error = new WatcherError("open watch", session.resource, cause);
      if (session.signal.aborted || !isServerBusy(cause)) throw error;
      session.failures.report(error);
      yield { type: "Failed", error };
      await session.backoff.wait(session.signal);
      continue;
    }
    try {
      yield { type: "Watching" };
      yield* eventsOf(session, watch);
      briefInARow = watch.brief ? briefInARow + 1 : 0;
    } catch (cause) {
      if (session.signal.aborted) throw cause;
      if (isExpired(cause)) {
        session.log.v(4).info("The watch fell too far behind, listing again", { resourceVersion: session.position.last });
        return;
      }
      const error = new WatcherError("watch", session.resource, cause);
      if (!isServerBusy(cause)) throw error;
      session.failures.report(error);
      yield { type: "Failed", error };
      await session.backoff.wait(session.signal);
    } finally {
      watch.close();
    }
    if (briefInARow >= toleratedBriefWatches) await session.backoff.wait(session.signal);
    if (session.signal.aborted) return;
  }
}

async function* eventsOf<T extends KubeObject, P>(
  session: WatchSession<T, P>,
  watch: OpenWatch<T>,
): AsyncGenerator<WatcherEvent<P>, void, undefined> {
  for (let event = await watch.next(); event; event = await watch.next()) {
    session.position.advance(event.object.metadata?.resourceVersion);
    switch (event.type) {
      case "ADDED":
      case "MODIFIED":
        yield { type: "Apply", object: session.project(event.object) };
        break;
      case "DELETED":
        yield { type: "Delete", object: session.project(event.object) };
        break;
      case "BOOKMARK":
        yield { type: "Bookmark", resourceVersion: session.position.last };
        break;
      default:
        event satisfies never;
    }
  }
}
