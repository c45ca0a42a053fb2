import { age, bareResource, column, definition, resource } from "../definition.ts";
import { atomic, choice, flag, int64, object, type Schema, text } from "../schema.ts";
import { exactlyOne, immutable, named, requiredOnceSet, ruled } from "../validation-rules.ts";
import { lastError, objectReference } from "./common-fields.ts";
import { approvedIn, snapshotGroup, snapshotVersions } from "./versions.ts";

const about = "A snapshot in the storage system: what a VolumeSnapshot is bound to, as a PersistentVolume is to a claim.";
const aboutSpec =
  "Which snapshot this is, and what happens to it. Set by the snapshot-controller, or by an administrator for a snapshot that exists already.";
const aboutSource = "Where the snapshot comes from: exactly one of volumeHandle and snapshotHandle. It cannot be changed later.";
const aboutStatus = "How far the snapshot is. Set by the driver's sidecar.";

const volumeHandle = text("The driver's handle of the volume of which a snapshot is taken.");
const snapshotHandle = text("The driver's handle of a snapshot that exists already.");
const reference = objectReference(
  "The VolumeSnapshot that this content belongs to. Its UID is added when they are bound; for a snapshot that exists already, name and namespace are enough.",
);
const required = ["deletionPolicy", "driver", "source", "volumeSnapshotRef"];
const spec = {
  deletionPolicy: choice(
    "What happens to the snapshot in the storage system when its VolumeSnapshot is deleted: Delete removes it, Retain keeps it and this object.",
    "Delete",
    "Retain",
  ),
  driver: text("The name of the CSI driver that takes and deletes the snapshot."),
  volumeSnapshotClassName: text(
    "The VolumeSnapshotClass with which the snapshot was taken. The class may have changed since, or may be gone.",
  ),
};
const status = {
  creationTime: int64("The moment whose data the snapshot holds, as the driver says, in nanoseconds since 1970."),
  error: lastError,
  readyToUse: flag("Whether a volume can be created from the snapshot. Absent as long as that is not known."),
  restoreSize: {
    ...int64("The size of the snapshot in bytes: a volume that is created from it has to be as big. 0 if the driver does not say."),
    minimum: 0,
  },
  snapshotHandle: text("The driver's handle of the snapshot. Absent until it is taken."),
} satisfies Record<string, Schema>;

const v1 = resource(
  about,
  {
    spec: ruled(
      object(
        aboutSpec,
        {
          ...spec,
          source: ruled(
            object(aboutSource, {
              snapshotHandle: immutable(snapshotHandle, "snapshotHandle is immutable"),
              volumeHandle: immutable(volumeHandle, "volumeHandle is immutable"),
            }),
            requiredOnceSet("volumeHandle"),
            requiredOnceSet("snapshotHandle"),
            exactlyOne("volumeHandle", "snapshotHandle"),
          ),
          sourceVolumeMode: immutable(
            text(
              "The mode of the volume of which the snapshot was taken: Filesystem or Block. Without it, a volume of either mode can be created from the snapshot.",
            ),
            "sourceVolumeMode is immutable",
          ),
          volumeSnapshotRef: ruled(
            atomic(reference),
            named("both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set"),
          ),
        },
        required,
      ),
      requiredOnceSet("sourceVolumeMode"),
    ),
    status: object(aboutStatus, {
      ...status,
      volumeGroupSnapshotHandle: text(
        "The driver's handle of the group snapshot of which this one is a member. Absent if it was taken alone.",
      ),
    }),
  },
  ["spec"],
);

const v1beta1 = bareResource(
  about,
  {
    spec: object(
      aboutSpec,
      { ...spec, source: object(aboutSource, { snapshotHandle, volumeHandle }), volumeSnapshotRef: reference },
      required,
    ),
    status: object(aboutStatus, status),
  },
  ["spec"],
);

export const volumeSnapshotContentDefinition = definition({
  group: snapshotGroup,
  kind: "VolumeSnapshotContent",
  plural: "volumesnapshotcontents",
  shortNames: ["vsc", "vscs"],
  scope: "Cluster",
  status: true,
  approvedIn: approvedIn(955),
  columns: [
    column("ReadyToUse", "boolean", ".status.readyToUse"),
    column("RestoreSize", "integer", ".status.restoreSize"),
    column("DeletionPolicy", "string", ".spec.deletionPolicy"),
    column("Driver", "string", ".spec.driver"),
    column("VolumeSnapshotClass", "string", ".spec.volumeSnapshotClassName"),
    column("VolumeSnapshot", "string", ".spec.volumeSnapshotRef.name"),
    column("VolumeSnapshotNamespace", "string", ".spec.volumeSnapshotRef.namespace"),
    age,
  ],
  versions: snapshotVersions("VolumeSnapshotContent", v1, v1beta1),
});
