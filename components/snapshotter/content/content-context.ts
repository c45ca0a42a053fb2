import { AssumeCache, Controller, type PatchTarget, retryRateLimiter, WaitingForClass } from "@csi-sidecars/controller";
import {
  managedByLabel,
  projectorFor,
  type StoreReader,
  type V1VolumeSnapshotContent,
  type View,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { type ContentEvents, contentEvents } from "../content-events.ts";
import { ContentState } from "../content-state.ts";
import { type Content, classFields, contentFields, type SnapshotClass } from "../fields.ts";
import type { SnapshotterComponentContext } from "../flags.ts";
import type { SnapshotterContext } from "../snapshotter-context.ts";
import type { CreateOptions } from "./create-request.ts";
import type { TakenSnapshot } from "./taken-snapshot.ts";

/** What the snapshots of single volumes need beside what they share with group snapshots. */
export interface ContentContext extends SnapshotterContext, CreateOptions {
  /** What the watches show. */
  readonly caches: { readonly contents: View<Content>; readonly classes: View<SnapshotClass> };
  /** The contents, never behind our own writes; keys are names. */
  readonly contents: AssumeCache<Content>;
  readonly classes: Pick<StoreReader<SnapshotClass>, "get">;
  /** How contents are patched. */
  readonly target: PatchTarget<V1VolumeSnapshotContent, Content>;
  /** Keys are the names of contents. */
  readonly controller: Controller;
  readonly state: ContentState<TakenSnapshot>;
  /** The contents whose class is missing, another driver's, or not usable. */
  readonly waiting: WaitingForClass;
  readonly events: ContentEvents<Content>;
}

export function contentContext(context: SnapshotterComponentContext, c: SnapshotterContext): ContentContext {
  const { informers, flags, driver } = context;
  const selection = c.nodeName === undefined ? {} : { labelSelector: `${managedByLabel}=${c.nodeName}` };
  const caches = { contents: informers.forFields(contentFields, selection), classes: informers.forFields(classFields) };
  const project = projectorFor(contentFields);
  const contents = new AssumeCache<Content>(caches.contents, project);
  return {
    ...c,
    ...{ caches, contents, classes: caches.classes },
    target: { kube: c.kube, resource: VolumeSnapshotContent, cache: contents, project },
    controller: new Controller(context, {
      ...{ name: "csi-snapshotter-content", rateLimiter: retryRateLimiter(flags), workers: flags.workerThreads },
      driver: driver.availability,
    }),
    state: new ContentState(flags.retryIntervalStart),
    waiting: new WaitingForClass(),
    events: contentEvents(c.recorder),
    naming: { prefix: flags.snapshotNamePrefix, uuidLength: flags.snapshotNameUuidLength },
  };
}

/** The class that a content names, if it is there. */
export function classOf({ classes }: Pick<ContentContext, "classes">, { spec }: Content): SnapshotClass | undefined {
  const name = spec?.volumeSnapshotClassName;
  return name ? classes.get(name) : undefined;
}
