import type { Schema } from "../crd/structural-schema.ts";
import * as crd from "./schema-builders.ts";

const quantity: Schema & { readonly anyOf: readonly Schema[] } = {
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
  "x-kubernetes-int-or-string": true,
};

const status = {
  boundVolumeSnapshotContentName: crd.text,
  creationTime: crd.dateTime,
  error: crd.problem,
  readyToUse: crd.flag,
  restoreSize: quantity,
};

const source = crd.ruled(
  crd.object({
    persistentVolumeClaimName: crd.immutable(crd.text, "persistentVolumeClaimName is immutable"),
    volumeSnapshotContentName: crd.immutable(crd.text, "volumeSnapshotContentName is immutable"),
  }),
  crd.requiredOnceSet("persistentVolumeClaimName"),
  crd.requiredOnceSet("volumeSnapshotContentName"),
  crd.exactlyOne("volumeSnapshotContentName", "persistentVolumeClaimName"),
);

const v1 = crd.resourceSchema(
  {
    spec: crd.object({ source, volumeSnapshotClassName: crd.notEmpty("volumeSnapshotClassName must not be the empty string when set") }, [
      "source",
    ]),
    status: crd.object({ ...status, volumeGroupSnapshotName: crd.text }),
  },
  ["spec"],
);

const v1beta1 = crd.resourceSchema(
  {
    spec: crd.object(
      {
        source: crd.object({ persistentVolumeClaimName: crd.text, volumeSnapshotContentName: crd.text }),
        volumeSnapshotClassName: crd.text,
      },
      ["source"],
    ),
    status: crd.object(status),
  },
  ["spec"],
);

/** What users ask for: a snapshot of a claim, or one that is there already. */
export const volumeSnapshotDefinition = crd.definition({
  group: "snapshot.storage.k8s.io",
  kind: "VolumeSnapshot",
  plural: "volumesnapshots",
  singular: "volumesnapshot",
  shortNames: ["vs"],
  scope: "Namespaced",
  status: true,
  approvedIn: 814,
  columns: [
    crd.column("ReadyToUse", "boolean", ".status.readyToUse"),
    crd.column("SourcePVC", "string", ".spec.source.persistentVolumeClaimName"),
    crd.column("SourceSnapshotContent", "string", ".spec.source.volumeSnapshotContentName"),
    crd.column("RestoreSize", "string", ".status.restoreSize"),
    crd.column("SnapshotClass", "string", ".spec.volumeSnapshotClassName"),
    crd.column("SnapshotContent", "string", ".status.boundVolumeSnapshotContentName"),
    crd.column("CreationTime", "date", ".status.creationTime"),
    crd.age,
  ],
  versions: crd.snapshotVersions("VolumeSnapshot", v1, v1beta1),
});
