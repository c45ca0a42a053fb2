import { type ObjectEvents, objectEvents } from "@csi-sidecars/controller";
import {
  type EventRecorder,
  type KubeObject,
  type Resource,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { eventReasons } from "./event-reasons.ts";
import type { Content, GroupContent } from "./fields.ts";

/** Emits an event about a content and its snapshot. */
type Emit<P> = (content: P, message: string) => void;

/** The events about contents of one kind. */
export interface ContentEvents<P> {
  readonly createFailed: Emit<P>;
  readonly checkFailed: Emit<P>;
  readonly deleteFailed: Emit<P>;
}

export function contentEvents(recorder: EventRecorder): ContentEvents<Content> {
  const { createFailed, checkFailed, deleteFailed } = eventReasons;
  const emit = warnings<Content>(recorder, VolumeSnapshotContent, VolumeSnapshot, ({ spec }) => spec?.volumeSnapshotRef);
  return { createFailed: emit(createFailed.reason), checkFailed: emit(checkFailed.reason), deleteFailed: emit(deleteFailed.reason) };
}

export function groupContentEvents(recorder: EventRecorder): ContentEvents<GroupContent> {
  const { groupCreateFailed, groupCheckFailed, groupDeleteFailed } = eventReasons;
  const emit = warnings<GroupContent>(
    recorder,
    VolumeGroupSnapshotContent,
    VolumeGroupSnapshot,
    ({ spec }) => spec?.volumeGroupSnapshotRef,
  );
  return {
    createFailed: emit(groupCreateFailed.reason),
    checkFailed: emit(groupCheckFailed.reason),
    deleteFailed: emit(groupDeleteFailed.reason),
  };
}

interface Reference {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
}

/**
 * Warnings about contents. Contents have no namespace, so users of a namespace do not see their events: the snapshot that the content
 * belongs to gets the same one.
 */
function warnings<P extends Parameters<ObjectEvents["warning"]>[0]>(
  recorder: EventRecorder,
  contentKind: Resource<KubeObject>,
  snapshotKind: Resource<KubeObject>,
  snapshotOf: (content: P) => Reference | undefined,
): (reason: string) => Emit<P> {
  const [contents, snapshots] = [objectEvents(recorder, contentKind), objectEvents(recorder, snapshotKind)];
  return (reason) => (content, text) => {
    contents.warning(content, reason, text);
    const { name, namespace, uid } = snapshotOf(content) ?? {};
    if (name && namespace && uid) snapshots.warning({ metadata: { name, namespace, uid, resourceVersion: "" } }, reason, text);
  };
}
