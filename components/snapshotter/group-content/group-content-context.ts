import { AssumeCache, Controller, type PatchTarget, retryRateLimiter, WaitingForClass } from "@csi-sidecars/controller";
import { managedByLabel, projectorFor, type V1VolumeGroupSnapshotContent, type View, VolumeGroupSnapshotContent } from "@csi-sidecars/kube";
import { type ContentEvents, groupContentEvents } from "../content-events.ts";
import { ContentState } from "../content-state.ts";
import { type Content, contentFields, type GroupContent, groupClassFields, groupContentFields, type SnapshotClass } from "../fields.ts";
import type { SnapshotterComponentContext } from "../flags.ts";
import type { SnapshotterContext } from "../snapshotter-context.ts";
import type { CreateOptions } from "./create-request.ts";
import type { TakenGroup } from "./taken-group.ts";

/** What the loop of group snapshots needs beside what it shares with that of single ones. */
export interface GroupContentContext extends SnapshotterContext, CreateOptions {
  /** Keys are names of contents. */
  readonly controller: Controller;
  /** What the watches show; `members` are contents of single snapshots. */
  readonly caches: { readonly contents: View<GroupContent>; readonly classes: View<SnapshotClass>; readonly members: View<Content> };
  /** The contents, never behind our own writes. */
  readonly contents: AssumeCache<GroupContent>;
  readonly target: PatchTarget<V1VolumeGroupSnapshotContent, GroupContent>;
  readonly state: ContentState<TakenGroup>;
  /** The contents whose class is missing, another driver's, or not usable. */
  readonly waiting: WaitingForClass;
  readonly events: ContentEvents<GroupContent>;
}

export function groupContentContext(context: SnapshotterComponentContext, c: SnapshotterContext): GroupContentContext {
  const { driver, flags, informers } = context;
  const selection = c.nodeName === undefined ? {} : { labelSelector: `${managedByLabel}=${c.nodeName}` };
  const caches = {
    contents: informers.forFields(groupContentFields, selection),
    classes: informers.forFields(groupClassFields),
    members: informers.forFields(contentFields, selection),
  };
  const project = projectorFor(groupContentFields);
  const contents = new AssumeCache(caches.contents, project);
  return {
    ...c,
    ...{ caches, contents },
    controller: new Controller(context, {
      ...{ name: "csi-snapshotter-groupsnapshotcontent", rateLimiter: retryRateLimiter(flags), workers: flags.workerThreads },
      driver: driver.availability,
    }),
    target: { kube: c.kube, resource: VolumeGroupSnapshotContent, cache: contents, project },
    state: new ContentState(flags.retryIntervalStart),
    waiting: new WaitingForClass(),
    events: groupContentEvents(c.recorder),
    naming: { prefix: flags.groupsnapshotNamePrefix, uuidLength: flags.groupsnapshotNameUuidLength },
  };
}

/** The class that a content names, if it exists. */
export function classOf({ caches }: Pick<GroupContentContext, "caches">, { spec }: GroupContent): SnapshotClass | undefined {
  return caches.classes.get(spec?.volumeGroupSnapshotClassName ?? "");
}
