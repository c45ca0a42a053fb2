import type { Schema } from "../crd/structural-schema.ts";
import * as crd from "./schema-builders.ts";

const handles: Schema = { type: "array", items: crd.text };
const groupHandles = crd.object({ volumeGroupSnapshotHandle: crd.text, volumeSnapshotHandles: handles }, [
  "volumeGroupSnapshotHandle",
  "volumeSnapshotHandles",
]);

const source = crd.ruled(
  crd.object({
    groupSnapshotHandles: crd.immutable(groupHandles, "groupSnapshotHandles is immutable"),
    volumeHandles: crd.immutable(handles, "volumeHandles is immutable"),
  }),
  crd.requiredOnceSet("volumeHandles"),
  crd.requiredOnceSet("groupSnapshotHandles"),
  crd.exactlyOne("volumeHandles", "groupSnapshotHandles"),
);

const named = crd.namedReference("both volumeGroupSnapshotRef.name and volumeGroupSnapshotRef.namespace must be set");
const sameName = {
  rule: "self.name == oldSelf.name && self.__namespace__ == oldSelf.__namespace__",
  message: "volumeGroupSnapshotRef.name and volumeGroupSnapshotRef.namespace are immutable",
};
const sameUid = {
  rule: "!has(oldSelf.uid) || (has(self.uid) && self.uid == oldSelf.uid)",
  message: "volumeGroupSnapshotRef.uid is immutable once set",
};

function spec(driver: Schema, className: Schema, ref: Schema): Schema {
  return crd.object(
    { deletionPolicy: crd.deletionPolicy, driver, source, volumeGroupSnapshotClassName: className, volumeGroupSnapshotRef: ref },
    ["deletionPolicy", "driver", "source", "volumeGroupSnapshotRef"],
  );
}

const status = { creationTime: crd.dateTime, error: crd.problem, readyToUse: crd.flag };

const current = crd.resourceSchema(
  {
    spec: spec(
      crd.immutable(crd.text, "driver is immutable once set"),
      crd.immutable(crd.text, "volumeGroupSnapshotClassName is immutable once set"),
      crd.ruled(crd.objectReference, named, sameName, sameUid),
    ),
    status: crd.object({
      ...status,
      volumeGroupSnapshotHandle: crd.immutable(crd.text, "volumeGroupSnapshotHandle is immutable once set"),
      volumeSnapshotInfoList: {
        type: "array",
        items: crd.object({
          creationTime: crd.int64,
          readyToUse: crd.flag,
          restoreSize: crd.int64,
          snapshotHandle: crd.text,
          volumeHandle: crd.text,
        }),
      },
    }),
  },
  ["spec"],
);

const v1beta1 = crd.resourceSchema(
  {
    spec: spec(crd.text, crd.text, crd.ruled(crd.objectReference, named)),
    status: crd.object({
      ...status,
      volumeGroupSnapshotHandle: crd.text,
      volumeSnapshotHandlePairList: {
        type: "array",
        items: crd.object({ snapshotHandle: crd.text, volumeHandle: crd.text }, ["snapshotHandle", "volumeHandle"]),
      },
    }),
  },
  ["spec"],
);

/** What drivers made: the group of snapshots on the storage system. */
export const volumeGroupSnapshotContentDefinition = crd.definition({
  group: "groupsnapshot.storage.k8s.io",
  kind: "VolumeGroupSnapshotContent",
  plural: "volumegroupsnapshotcontents",
  singular: "volumegroupsnapshotcontent",
  shortNames: ["vgsc", "vgscs"],
  scope: "Cluster",
  status: true,
  approvedIn: 1337,
  columns: [
    crd.column("ReadyToUse", "boolean", ".status.readyToUse"),
    crd.column("DeletionPolicy", "string", ".spec.deletionPolicy"),
    crd.column("Driver", "string", ".spec.driver"),
    crd.column("VolumeGroupSnapshotClass", "string", ".spec.volumeGroupSnapshotClassName"),
    crd.column("VolumeGroupSnapshotNamespace", "string", ".spec.volumeGroupSnapshotRef.namespace"),
    crd.column("VolumeGroupSnapshot", "string", ".spec.volumeGroupSnapshotRef.name"),
    crd.age,
  ],
  versions: crd.groupVersions(current, v1beta1),
});
