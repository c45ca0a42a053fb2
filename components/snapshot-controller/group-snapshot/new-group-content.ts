import type { SecretRef } from "@csi-sidecars/controller";
import {
  apiVersionOf,
  groupSnapshotAnnotation,
  groupSnapshotFinalizer,
  managedByLabel,
  type V1VolumeGroupSnapshotContent,
  VolumeGroupSnapshot,
} from "@csi-sidecars/kube";
import type { GroupSnapshot, GroupSnapshotClass } from "../fields.ts";
import { groupContentNameOf } from "./group-binding.ts";

/** What a content is made of, besides its group snapshot. */
export interface GroupContentParts {
  readonly class: GroupSnapshotClass;
  readonly handles: string[];
  readonly secret: SecretRef | undefined;
  readonly node: string | undefined;
}

/** The content of a group snapshot that the driver is to take. It has its finalizer from the start: it is never without protection. */
export function newGroupContent(
  group: GroupSnapshot,
  { class: chosen, handles, secret, node }: GroupContentParts,
): V1VolumeGroupSnapshotContent {
  const { name, namespace, uid, resourceVersion } = group.metadata;
  const annotations = secret && {
    [groupSnapshotAnnotation.secretName]: secret.name,
    [groupSnapshotAnnotation.secretNamespace]: secret.namespace,
  };
  return {
    metadata: {
      name: groupContentNameOf(group),
      finalizers: [groupSnapshotFinalizer.content],
      ...(annotations && { annotations }),
      ...(node !== undefined && { labels: { [managedByLabel]: node } }),
    },
    spec: {
      ...(chosen.deletionPolicy && { deletionPolicy: chosen.deletionPolicy }),
      ...(chosen.driver !== undefined && { driver: chosen.driver }),
      source: { volumeHandles: handles },
      volumeGroupSnapshotClassName: chosen.metadata.name,
      volumeGroupSnapshotRef: {
        ...{ apiVersion: apiVersionOf(VolumeGroupSnapshot), kind: VolumeGroupSnapshot.kind },
        ...{ name, namespace, uid, resourceVersion },
      },
    },
  };
}
