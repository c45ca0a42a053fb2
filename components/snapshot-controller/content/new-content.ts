import type { SecretRef } from "@csi-sidecars/controller";
import {
  apiVersionOf,
  type DeletionPolicy,
  managedByLabel,
  snapshotAnnotation,
  snapshotFinalizer,
  type V1VolumeSnapshotContent,
  VolumeSnapshot,
} from "@csi-sidecars/kube";

/** What a content is made of. */
export interface ContentParts {
  readonly name: string;
  /** Without a uid it is bound later. */
  readonly snapshot: { readonly name: string; readonly namespace?: string; readonly uid?: string; readonly resourceVersion?: string };
  readonly driver: string;
  readonly deletionPolicy: DeletionPolicy | undefined;
  readonly volumeHandle: string;
  readonly className?: string;
  /** The source's, where no other one may be restored from it. */
  readonly volumeMode?: string | undefined;
  readonly secret?: SecretRef | undefined;
  /** The group snapshot of the driver that it is a part of. */
  readonly groupHandle?: string;
  /** The node whose csi-snapshotter is to serve it. */
  readonly node?: string | undefined;
}

/** The content of a snapshot that the driver is to take, or has taken with a group. One that is bound has its finalizer from the start. */
export function newContent(parts: ContentParts): V1VolumeSnapshotContent {
  const { name, snapshot, driver, deletionPolicy, volumeHandle, className, volumeMode, secret, groupHandle, node } = parts;
  const annotations = {
    ...(secret && { [snapshotAnnotation.secretName]: secret.name, [snapshotAnnotation.secretNamespace]: secret.namespace }),
    ...(groupHandle !== undefined && { [snapshotAnnotation.groupHandle]: groupHandle }),
  };
  return {
    metadata: {
      name,
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ...(node !== undefined && { labels: { [managedByLabel]: node } }),
      ...(snapshot.uid !== undefined && { finalizers: [snapshotFinalizer.content] }),
    },
    spec: {
      ...(deletionPolicy && { deletionPolicy }),
      driver,
      source: { volumeHandle },
      ...(volumeMode !== undefined && { sourceVolumeMode: volumeMode }),
      ...(className !== undefined && { volumeSnapshotClassName: className }),
      volumeSnapshotRef: {
        apiVersion: apiVersionOf(VolumeSnapshot),
        kind: VolumeSnapshot.kind,
        name: snapshot.name,
        namespace: snapshot.namespace ?? "",
        ...(snapshot.uid !== undefined && { uid: snapshot.uid }),
        ...(snapshot.resourceVersion !== undefined && { resourceVersion: snapshot.resourceVersion }),
      },
    },
  };
}
