import type { Clock, GcAfterList, Logger } from "@csi-sidecars/base";
import type { Client, Selection } from "../../client/client.ts";
import type { KubeObject } from "../../object.ts";
import type { Resource } from "../../resource.ts";
import type { EventLoopYield } from "./event-loop-yield.ts";
import type { ReflectorBackoff } from "./reflector-backoff.ts";
import type { FailureLog } from "./watch-errors.ts";

/** What the list and watch steps of one watcher share. */
export interface WatchSession<T extends KubeObject, P> {
  readonly client: Pick<Client, "list" | "watch">;
  readonly resource: Resource<T>;
  readonly selection: Selection;
  readonly project: (object: T) => P;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly position: WatchPosition;
  readonly backoff: ReflectorBackoff;
  readonly failures: FailureLog;
  readonly eventLoopYield: EventLoopYield;
  readonly gc: GcAfterList;
  /** The server split a list that its watch cache could have answered whole: every later list is requested in pages. */
  serverPaginates: boolean;
}

/** The resource version a watcher has reached, and the version to request next. */
export class WatchPosition {
  #last: string;
  #unavailable = false;

  constructor(last = "") {
    this.#last = last;
  }

  /** The version of the last event, list or bookmark; empty before the first. */
  get last(): string {
    return this.#last;
  }

  advance(to: string | undefined): void {
    if (to) this.#last = to;
  }

  /** A list is complete at this version. */
  listed(at: string): void {
    this.#last = at;
    this.#unavailable = false;
  }

  /** The server does not have the requested version: the next list requests the newest. */
  lost(): void {
    this.#unavailable = true;
  }

  /** A list must not be older than what was seen; the first takes whatever the watch cache has. */
  get forList(): string {
    if (this.#unavailable) return "";
    return this.#last === "" ? "0" : this.#last;
  }

  /** The first streamed list starts from the newest data. */
  get forStreamedList(): string {
    return this.#unavailable ? "" : this.#last;
  }
}
