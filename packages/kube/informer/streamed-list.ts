import type { Timer } from "@csi-sidecars/base";
import type { KubeObject } from "../object.ts";
import { type OpenWatch, openWatch } from "./open-watch.ts";
import { isExpired, isServerBusy, isTooLargeVersion } from "./watch-failures.ts";
import type { WatchSession } from "./watch-session.ts";
import { WatcherError } from "./watcher-error.ts";
import type { WatcherEvent } from "./watcher-event.ts";

const initialEventsEnd = "k8s.io/initial-events-end";
const remindEvery = 10_000;

/**
 * The list as a stream of events, so that neither side ever holds all of it: a watch that first sends what exists, then a
 * bookmark that says so. Returns the watch, still open. Throws a WatcherError where a plain list may do better.
 */
export async function* streamedList<T extends KubeObject, P>(
  session: WatchSession<T, P>,
): AsyncGenerator<WatcherEvent<P>, OpenWatch<T>, undefined> {
  const { version } = session;
  for (;;) {
    const from = version.forStreamedList;
    let watch: OpenWatch<T> | undefined;
    let complete = false;
    const reminder = new BookmarkReminder(session);
    try {
      watch = await openWatch(session, { resourceVersion: from, resourceVersionMatch: "NotOlderThan", sendInitialEvents: true });
      yield { type: "Init" };
      for (let event = await watch.next(); event; event = await watch.next()) {
        if (event.type === "BOOKMARK") {
          if (event.object.metadata?.annotations?.[initialEventsEnd] !== "true") continue;
          version.listed(event.object.metadata.resourceVersion ?? "");
          complete = true;
          session.litter.listDone();
          yield { type: "InitDone", resourceVersion: version.last };
          return watch;
        }
        const object = session.project(event.object);
        session.litter.objectKept();
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
        version.lost();
      } else {
        throw error;
      }
    } finally {
      reminder.stop();
      if (!complete) watch?.close();
    }
  }
}

/** Says that a streamed list waits for its end: old servers ignore the request for one. */
class BookmarkReminder {
  #timer: Timer;

  constructor(session: Pick<WatchSession<KubeObject, unknown>, "clock" | "log">) {
    const since = session.clock.monotonic();
    const remind = () => {
      const seconds = Math.round((session.clock.monotonic() - since) / 1000);
      session.log.info("Still waiting for the end of the initial events", { seconds });
      this.#timer = session.clock.after(remindEvery, remind);
    };
    this.#timer = session.clock.after(remindEvery, remind);
  }

  stop(): void {
    this.#timer.cancel();
  }
}
