import type { KubeList } from "../../client/client.ts";
import { isResourceExpired } from "../../client/status-error.ts";
import type { KubeObject } from "../../object.ts";
import { isExpired, isTooLargeVersion } from "./watch-errors.ts";
import type { WatchSession } from "./watch-session.ts";
import { WatcherError, type WatcherEvent } from "./watcher-event.ts";

const pageSize = 500;

/** The list in pages of 500. Each object is projected before the next is read, each page is released before the next is requested. */
export async function* pagedList<T extends KubeObject, P>(session: WatchSession<T, P>): AsyncGenerator<WatcherEvent<P>, void, undefined> {
  const from = session.position.forList;
  try {
    yield* listFrom(session, from);
  } catch (error) {
    if (session.signal.aborted || from === "" || !(isExpired(error) || isTooLargeVersion(error))) throw error;
    session.position.lost();
    yield* listFrom(session, session.position.forList);
  }
}

async function* listFrom<T extends KubeObject, P>(
  session: WatchSession<T, P>,
  from: string,
): AsyncGenerator<WatcherEvent<P>, void, undefined> {
  // A list at a known version is answered from the server's watch cache, unless pages are requested.
  const limit = from === "" || from === "0" || session.serverPaginates ? pageSize : undefined;
  yield { type: "Init" };
  let page = await requestPage(session, "list", { resourceVersion: from, limit });
  let resourceVersion = page.metadata.resourceVersion ?? "";
  if (from === "0" && page.metadata.continue) session.serverPaginates = true;
  for (;;) {
    for (const item of page.items) {
      yield { type: "InitApply", object: session.project(item) };
      session.gc.objectsRead(1);
      const pause = session.eventLoopYield.step();
      if (pause) await pause;
    }
    const token = page.metadata.continue;
    if (!token) break;
    try {
      page = await requestPage(session, "list page", { limit, continue: token });
    } catch (error) {
      if (!isResourceExpired(error)) throw error;
      yield { type: "Init" };
      page = await requestPage(session, "list", { resourceVersion: from });
      resourceVersion = page.metadata.resourceVersion ?? "";
    }
  }
  session.position.listed(resourceVersion);
  yield { type: "InitDone", resourceVersion };
  session.gc.listDone();
}

async function requestPage<T extends KubeObject>(
  session: WatchSession<T, unknown>,
  step: "list" | "list page",
  options: { readonly resourceVersion?: string; readonly limit?: number; readonly continue?: string },
): Promise<KubeList<T>> {
  try {
    return await session.client.list(session.resource, { ...session.selection, ...options, signal: session.signal });
  } catch (cause) {
    throw new WatcherError(step, session.resource, cause);
  }
}
