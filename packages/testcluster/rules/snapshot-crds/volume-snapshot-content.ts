import type { Schema } from "../crd/structural-schema.ts";
import * as crd from "./schema-builders.ts";

const size: Schema = { ...crd.int64, minimum: 0 };
const status = { creationTime: crd.int64, error: crd.problem, readyToUse: crd.flag, restoreSize: size, snapshotHandle: crd.text };
const required = ["deletionPolicy", "driver", "source", "volumeSnapshotRef"];
const plain = { deletionPolicy: crd.deletionPolicy, driver: crd.text, volumeSnapshotClassName: crd.text };

const source = crd.ruled(
  crd.object({
    snapshotHandle: crd.immutable(crd.text, "snapshotHandle is immutable"),
    volumeHandle: crd.immutable(crd.text, "volumeHandle is immutable"),
  }),
  crd.requiredOnceSet("volumeHandle"),
  crd.requiredOnceSet("snapshotHandle"),
  crd.exactlyOne("volumeHandle", "snapshotHandle"),
);

const v1 = crd.resourceSchema(
  {
    spec: crd.ruled(
      crd.object(
        {
          ...plain,
          source,
          sourceVolumeMode: crd.immutable(crd.text, "sourceVolumeMode is immutable"),
          volumeSnapshotRef: crd.ruled(
            crd.objectReference,
            crd.namedReference("both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set"),
          ),
        },
        required,
      ),
      crd.requiredOnceSet("sourceVolumeMode"),
    ),
    status: crd.object({ ...status, volumeGroupSnapshotHandle: crd.text }),
  },
  ["spec"],
);

const v1beta1 = crd.resourceSchema(
  {
    spec: crd.object(
      {
        ...plain,
        source: crd.object({ snapshotHandle: crd.text, volumeHandle: crd.text }),
        volumeSnapshotRef: crd.objectReference,
      },
      required,
    ),
    status: crd.object(status),
  },
  ["spec"],
);

/** What drivers made: the snapshot on the storage system. */
export const volumeSnapshotContentDefinition = crd.definition({
  group: "snapshot.storage.k8s.io",
  kind: "VolumeSnapshotContent",
  plural: "volumesnapshotcontents",
  singular: "volumesnapshotcontent",
  shortNames: ["vsc", "vscs"],
  scope: "Cluster",
  status: true,
  approvedIn: 955,
  columns: [
    crd.column("ReadyToUse", "boolean", ".status.readyToUse"),
    crd.column("RestoreSize", "integer", ".status.restoreSize"),
    crd.column("DeletionPolicy", "string", ".spec.deletionPolicy"),
    crd.column("Driver", "string", ".spec.driver"),
    crd.column("VolumeSnapshotClass", "string", ".spec.volumeSnapshotClassName"),
    crd.column("VolumeSnapshot", "string", ".spec.volumeSnapshotRef.name"),
    crd.column("VolumeSnapshotNamespace", "string", ".spec.volumeSnapshotRef.namespace"),
    crd.age,
  ],
  versions: crd.snapshotVersions("VolumeSnapshotContent", v1, v1beta1),
});
