import { groupSnapshotAnnotation, snapshotAnnotation } from "@csi-sidecars/kube";
import type { ClassNoun } from "./decide-class.ts";

/** A kind of classes of which a driver has one default. */
export interface ClassKind {
  readonly noun: ClassNoun;
  readonly group: string;
  /** The versions that reviews may be about; messages name the first. */
  readonly versions: readonly [string, ...string[]];
  readonly resource: string;
  /** `"true"` on a default class. */
  readonly defaultAnnotation: string;
}

export const snapshotClasses: ClassKind = {
  noun: "snapshot class",
  group: "snapshot.storage.k8s.io",
  versions: ["v1"],
  resource: "volumesnapshotclasses",
  defaultAnnotation: snapshotAnnotation.defaultClass,
};

export const groupSnapshotClasses: ClassKind = {
  noun: "group snapshot class",
  group: "groupsnapshot.storage.k8s.io",
  versions: ["v1", "v1beta2", "v1beta1", "v1alpha1"],
  resource: "volumegroupsnapshotclasses",
  defaultAnnotation: groupSnapshotAnnotation.defaultClass,
};
