import type { Timer } from "@csi-sidecars/base";
import type { KubeObject } from "../../object.ts";
import { type OpenWatch, openWatch } from "./open-watch.ts";
import { isExpired, isServerBusy, isTooLargeVersion } from "./watch-errors.ts";
import type { WatchSession } from "./watch-session.ts";
import { WatcherError, type WatcherEvent } from "./watcher-event.ts";

const initialEventsEnd = "k8s.io/initial-events-end";
const reminderMs = 10_000;

/**
 * The list as a stream of events (client-go's WatchList), so that neither side ever holds all of it: a watch that first sends the
 * existing objects, then a bookmark that marks their end. Returns the watch, still open. Throws a WatcherError when a paged list
 * may succeed instead.
 */
export async function* streamedList<T extends KubeObject, P>(
  session: WatchSession<T, P>,
): AsyncGenerator<WatcherEvent<P>, OpenWatch<T>, undefined> {
  const { position } = session;
  for (;;) {
    const from = position.forStreamedList;
    let watch: OpenWatch<T> | undefined;
    let complete = false;
    const reminder = new BookmarkReminder(session);
    try {
      watch = await openWatch(session, { resourceVersion: from, resourceVersionMatch: "NotOlderThan", sendInitialEvents: true });
      yield { type: "Init" };
      for (let event = await watch.next(); event; event = await watch.next()) {
        if (event.type === "BOOKMARK") {
          if (event.object.metadata?.annotations?.[initialEventsEnd] !== "true") continue;
          position.listed(event.object.metadata.resourceVersion ?? "");
          complete = true;
          yield { type: "InitDone", resourceVersion: position.last };
          session.gc.listDone();
          return watch;
        }
        const object = session.project(event.object);
        session.gc.objectsRead(1);
        yield event.type === "DELETED" ? { type: "Delete", object } : { type: "InitApply", object };
      }
      await session.backoff.wait(session.signal);
    } catch (cause) {
      if (session.signal.aborted) throw cause;
      const error = new WatcherError(watch ? "initial events" : "open watch", session.resource, cause);
      if (isServerBusy(cause)) {
        session.failures.report(error);
        yield { type: "Failed", error };
        await session.backoff.wait(session.signal);
      } else if (from !== "" && (isExpired(cause) || isTooLargeVersion(cause))) {
        position.lost();
      } else {
        throw error;
      }
    } finally {
      reminder.stop();
      if (!complete) watch?.close();
    }
  }
}

/** Logs that a streamed list still waits for its end: old servers ignore `sendInitialEvents`. */
class BookmarkReminder {
  #timer: Timer;

  constructor(session: Pick<WatchSession<KubeObject, unknown>, "clock" | "log">) {
    const since = session.clock.monotonic();
    const remind = () => {
      const seconds = Math.round((session.clock.monotonic() - since) / 1000);
      session.log.info("Still waiting for the end of the initial events", { seconds });
      this.#timer = session.clock.after(reminderMs, remind);
    };
    this.#timer = session.clock.after(reminderMs, remind);
  }

  stop(): void {
    this.#timer.cancel();
  }
}
