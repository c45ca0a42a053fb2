import { type Clock, GcAfterList, type Logger } from "@csi-sidecars/base";
import type { Client, Selection } from "../../client/client.ts";
import type { KubeObject } from "../../object.ts";
import { groupResourceOf, type Resource } from "../../resource.ts";
import { EventLoopYield } from "./event-loop-yield.ts";
import type { OpenWatch } from "./open-watch.ts";
import { pagedList } from "./paged-list.ts";
import { ReflectorBackoff } from "./reflector-backoff.ts";
import { streamedList } from "./streamed-list.ts";
import { FailureLog } from "./watch-errors.ts";
import { watchLoop } from "./watch-loop.ts";
import { WatchPosition, type WatchSession } from "./watch-session.ts";
import { WatcherError, type WatcherEvent } from "./watcher-event.ts";

export interface WatcherOptions<T extends KubeObject, P> {
  readonly client: Pick<Client, "list" | "watch">;
  readonly resource: Resource<T>;
  readonly selection?: Selection;
  /** Reduces each object to what is yielded, right after it was parsed. */
  readonly project: (object: T) => P;
  readonly clock: Clock;
  readonly log: Logger;
  /** The version an earlier watcher has reached: nothing older is yielded. */
  readonly since?: string;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
  /** Whether lists are streamed; default true. See {@link streamedListsEnabled}. */
  readonly streaming?: boolean;
  readonly random?: () => number;
}

/**
 * All changes to the objects of a kind until the signal aborts: lists, watches, and recovers from every failure. It keeps no
 * objects, only its position in the stream.
 *
 * ```ts
 * for await (const event of watcher({ client, resource: Pod, project: (pod) => pod, clock, log, signal })) store.apply(event);
 * ```
 */
export async function* watcher<T extends KubeObject, P>(options: WatcherOptions<T, P>): AsyncGenerator<WatcherEvent<P>, void, undefined> {
  const { clock, signal, random = Math.random, streaming = true } = options;
  const log = options.log.with({ resource: groupResourceOf(options.resource) });
  const session: WatchSession<T, P> = {
    ...options,
    selection: options.selection ?? {},
    log,
    random,
    position: new WatchPosition(options.since),
    backoff: new ReflectorBackoff(clock, random),
    failures: new FailureLog(log, clock),
    eventLoopYield: new EventLoopYield(clock),
    gc: new GcAfterList(),
    serverPaginates: false,
  };
  while (!signal.aborted) {
    try {
      yield* listAndWatch(session, streaming);
    } catch (cause) {
      if (signal.aborted) return;
      const error = cause instanceof WatcherError ? cause : new WatcherError("watch", options.resource, cause);
      session.failures.report(error);
      yield { type: "Failed", error };
    }
    try {
      await session.backoff.wait(signal);
    } catch {
      return;
    }
  }
}

/** One list and the watches that follow it. */
async function* listAndWatch<T extends KubeObject, P>(
  session: WatchSession<T, P>,
  streaming: boolean,
): AsyncGenerator<WatcherEvent<P>, void, undefined> {
  let watch: OpenWatch<T> | undefined;
  if (streaming) {
    try {
      watch = yield* streamedList(session);
    } catch (error) {
      if (session.signal.aborted || !(error instanceof WatcherError)) throw error;
      session.log.v(2).info("Streaming the list failed, falling back to a plain list", { err: error.message });
    }
  }
  if (!watch) yield* pagedList(session);
  yield* watchLoop(session, watch);
}

/** Whether lists are streamed: client-go's feature override in the environment. */
export function streamedListsEnabled(env: Readonly<Record<string, string | undefined>>): boolean {
  const value = env.KUBE_FEATURE_WatchListClient;
  return value === undefined || !["0", "f", "false"].includes(value.toLowerCase());
}
