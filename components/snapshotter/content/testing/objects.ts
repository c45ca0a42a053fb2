import {
  snapshotAnnotation as annotation,
  projectorFor,
  snapshotFinalizer,
  type V1VolumeSnapshotClass,
  type V1VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { type Content, contentFields } from "../../fields.ts";

export const driverName = "csi.example.com";
export const className = "snappy";
export const { beingCreated, beingDeleted, secretName, secretNamespace, groupHandle } = annotation;
export const finalizer = snapshotFinalizer.content;
/** The uid of the VolumeSnapshot of content `data`. */
export const snapshotUid = "0f8fad5b-d9cb-469f-a165-70867728950e";

type Spec = NonNullable<V1VolumeSnapshotContent["spec"]>;
type Status = NonNullable<V1VolumeSnapshotContent["status"]>;

export interface ContentParts {
  readonly name?: string;
  readonly metadata?: V1VolumeSnapshotContent["metadata"];
  readonly spec?: Partial<Spec>;
  readonly status?: Status;
}

export const volumeOf = (content: string) => `vol-${content}`;

/** The content of the snapshot `default/of-<name>`, as the snapshot-controller creates it, without its status. */
export function contentOf({ name = "data", metadata, spec }: ContentParts = {}): V1VolumeSnapshotContent {
  return {
    metadata: { name, finalizers: [finalizer], ...metadata },
    spec: {
      deletionPolicy: "Delete",
      driver: driverName,
      source: { volumeHandle: volumeOf(name) },
      volumeSnapshotClassName: className,
      volumeSnapshotRef: {
        apiVersion: "snapshot.storage.k8s.io/v1",
        kind: "VolumeSnapshot",
        namespace: "default",
        name: `of-${name}`,
        uid: name === "data" ? snapshotUid : `uid-of-snapshot-${name}`,
      },
      ...spec,
    },
  };
}

/** What makes it one of a snapshot that an administrator has named. */
export function preProvisioned(snapshotHandle: string, more: Partial<Spec> = {}): Partial<Spec> {
  return { source: { snapshotHandle }, ...more };
}

/** The content as the cache holds it. */
export function cachedContent(parts: ContentParts = {}): Content {
  const { metadata, ...rest } = contentOf(parts);
  return projectorFor(contentFields)({
    ...rest,
    metadata: { uid: "uid-of-content", resourceVersion: "1", ...metadata },
    ...(parts.status && { status: parts.status }),
  });
}

export function snapshotClass(parameters?: Record<string, string>, name = className): V1VolumeSnapshotClass {
  return { metadata: { name }, driver: driverName, deletionPolicy: "Delete", ...(parameters && { parameters }) };
}
