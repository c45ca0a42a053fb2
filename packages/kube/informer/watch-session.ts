import type { Clock, Logger } from "@csi-sidecars/base";
import type { Client, Selection } from "../client/client.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { Breather } from "./breather.ts";
import type { FailureLog } from "./failure-log.ts";
import type { ListLitter } from "./list-litter.ts";
import type { ResourceVersion } from "./resource-version.ts";
import type { RoundBackoff } from "./round-backoff.ts";

/** What the steps of one watcher share. */
export interface WatchSession<T extends KubeObject, P> {
  readonly client: Pick<Client, "list" | "watch">;
  readonly resource: Resource<T>;
  readonly selection: Selection;
  readonly project: (object: T) => P;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly version: ResourceVersion;
  readonly backoff: RoundBackoff;
  readonly failures: FailureLog;
  readonly breather: Breather;
  readonly litter: ListLitter;
  /** Set once the server has split a list that its watch cache could have answered whole: from then on pages are always asked for. */
  serverPaginates: boolean;
}
