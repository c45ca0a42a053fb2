import { messageOf } from "@csi-sidecars/base";
import { groupResourceOf, type Resource } from "../resource.ts";

export type WatcherStep = "list" | "list page" | "open watch" | "initial events" | "watch";

/** What a watcher could not do, for which kind, and why. */
export class WatcherError extends Error {
  override readonly name = "WatcherError";
  readonly step: WatcherStep;
  readonly resource: string;

  constructor(step: WatcherStep, resource: Resource, cause: unknown) {
    const resourceName = groupResourceOf(resource);
    super(`${step} of ${resourceName}: ${messageOf(cause)}`, { cause });
    this.step = step;
    this.resource = resourceName;
  }
}
