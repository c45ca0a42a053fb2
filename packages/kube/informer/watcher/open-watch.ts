import type { WatchEvent, WatchOptions } from "../../client/client.ts";
import { asStatus } from "../../client/parse-status.ts";
import { StatusError } from "../../client/status-error.ts";
import type { KubeObject } from "../../object.ts";
import type { Resource } from "../../resource.ts";
import { isBrokenStream, VeryShortWatchError } from "./watch-errors.ts";
import type { WatchSession } from "./watch-session.ts";

/** An event that is not an error: those are thrown. */
type DataEvent<T> = Exclude<WatchEvent<T>, { readonly type: "ERROR" }>;

const veryShortMs = 1_000;

/** An open watch, read event by event: a list streamed over it passes it on to the watch loop. */
export class OpenWatch<T extends KubeObject> {
  readonly #session: WatchSession<T, unknown>;
  readonly #events: AsyncIterator<WatchEvent<T>>;
  readonly #openedAt: number;
  #count = 0;

  constructor(session: WatchSession<T, unknown>, events: AsyncIterable<WatchEvent<T>>) {
    this.#session = session;
    this.#events = events[Symbol.asyncIterator]();
    this.#openedAt = session.clock.monotonic();
  }

  /** Whether it has been open for less than a second. */
  get brief(): boolean {
    return this.#session.clock.monotonic() - this.#openedAt < veryShortMs;
  }

  /** The next event of this kind; `undefined` when the server or the connection ended the watch. An ERROR event is thrown. */
  async next(): Promise<DataEvent<T> | undefined> {
    for (;;) {
      const pause = this.#session.eventLoopYield.step();
      if (pause) await pause;
      const result = await this.#read();
      if (result.done) {
        if (this.brief && this.#count === 0) throw new VeryShortWatchError();
        return undefined;
      }
      const event = result.value;
      if (event.type === "ERROR")
        throw new StatusError(asStatus(event.object) ?? { message: "the server ended the watch with an error that is not a Status" });
      this.#count++;
      const kind = event.object.kind;
      if (kind === undefined || isOfKind(this.#session.resource, kind)) return event;
      this.#session.log.error(undefined, "Skipped a watch event of an unexpected kind", { want: this.#session.resource.kind, got: kind });
    }
  }

  /** Releases the connection. */
  close(): void {
    this.#events.return?.().catch(() => undefined);
  }

  async #read(): Promise<IteratorResult<WatchEvent<T>, unknown>> {
    try {
      return await this.#events.next();
    } catch (error) {
      if (!isBrokenStream(error) || this.#session.signal.aborted) throw error;
      this.#session.log.v(4).info("Watch connection broke", { err: String(error) });
      return { done: true, value: undefined };
    }
  }
}

/** A server without support for PartialObjectMetadata sends whole objects. */
function isOfKind(resource: Resource, kind: string): boolean {
  return kind === resource.kind || (resource.metadataOnly === true && kind === "PartialObjectMetadata");
}

export async function openWatch<T extends KubeObject>(session: WatchSession<T, unknown>, options: WatchOptions): Promise<OpenWatch<T>> {
  const events = await session.client.watch(session.resource, {
    ...session.selection,
    ...options,
    allowWatchBookmarks: true,
    timeoutSeconds: Math.floor(300 * (1 + session.random())),
    signal: session.signal,
  });
  return new OpenWatch(session, events);
}
