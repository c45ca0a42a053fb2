import { AssumeCache, Controller, type PatchTarget, retryRateLimiter } from "@csi-sidecars/controller";
import { managedByLabel, projectorFor, type V1VolumeGroupSnapshotContent, type View, VolumeGroupSnapshotContent } from "@csi-sidecars/kube";
import { type ContentEvents, groupContentEvents } from "../content-events.ts";
import { ContentMemory } from "../content-memory.ts";
import { type GroupContent, groupClassFields, groupContentFields, type SnapshotClass } from "../fields.ts";
import type { SnapshotterComponentContext } from "../flags.ts";
import type { SnapshotterContext } from "../snapshotter-context.ts";
import type { CreateOptions, CreateRequest } from "./create-request.ts";
import type { TakenGroup } from "./taken-group.ts";

/** What the loop of group snapshots needs beside what it shares with that of single ones. */
export interface GroupContentContext extends SnapshotterContext {
  /** Keys are names of contents. */
  readonly controller: Controller;
  /** What the watches show. */
  readonly caches: { readonly contents: View<GroupContent>; readonly classes: View<SnapshotClass> };
  /** The contents, never behind our own writes. */
  readonly contents: AssumeCache<GroupContent>;
  readonly target: PatchTarget<V1VolumeGroupSnapshotContent, GroupContent>;
  readonly memory: ContentMemory<TakenGroup, CreateRequest>;
  readonly events: ContentEvents<GroupContent>;
  readonly create: CreateOptions;
  /** `--retry-interval-start` */
  readonly retryIntervalStartMs: number;
}

export function groupContentContext(context: SnapshotterComponentContext, c: SnapshotterContext): GroupContentContext {
  const { driver, flags, informers } = context;
  const selection = c.nodeName === undefined ? {} : { labelSelector: `${managedByLabel}=${c.nodeName}` };
  const caches = { contents: informers.forFields(groupContentFields, selection), classes: informers.forFields(groupClassFields) };
  const project = projectorFor(groupContentFields);
  const contents = new AssumeCache(caches.contents, project);
  return {
    ...c,
    ...{ caches, contents },
    controller: new Controller(context, {
      ...{ name: "csi-snapshotter-groupsnapshotcontent", rateLimiter: retryRateLimiter(flags), workers: flags.workerThreads },
      driver: driver.availability,
      waitFor: Object.values(caches),
    }),
    target: { kube: c.kube, resource: VolumeGroupSnapshotContent, cache: contents, project },
    memory: new ContentMemory(),
    events: groupContentEvents(c.recorder),
    create: {
      naming: { prefix: flags.groupsnapshotNamePrefix, uuidLength: flags.groupsnapshotNameUuidLength },
      extraMetadata: c.extraMetadata,
    },
    retryIntervalStartMs: flags.retryIntervalStart,
  };
}

/** The class that a content names, if it exists. */
export function classOf({ caches }: Pick<GroupContentContext, "caches">, { spec }: GroupContent): SnapshotClass | undefined {
  return caches.classes.get(spec?.volumeGroupSnapshotClassName ?? "");
}
