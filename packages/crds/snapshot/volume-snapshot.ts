import { age, bareResource, column, definition, resource } from "../definition.ts";
import { dateTime, flag, object, quantity, text } from "../schema.ts";
import { exactlyOne, immutable, notEmpty, requiredOnceSet, ruled } from "../validation-rules.ts";
import { lastError } from "./common-fields.ts";
import { approvedIn, snapshotGroup, snapshotVersions } from "./versions.ts";

const about = "A request for a snapshot of a claim's volume, or for a snapshot that already exists in the storage system.";
const aboutSpec = "What is asked for. Set by the user.";
const aboutSource =
  "Where the snapshot comes from: exactly one of persistentVolumeClaimName and volumeSnapshotContentName. It cannot be changed later.";
const aboutStatus =
  "How far the snapshot is. Set by the snapshot-controller; trust readyToUse and the binding only if the content refers back.";

const claimName = text(
  "The claim whose volume is copied, in the namespace of the snapshot. A content is then created for the snapshot. Empty in a member of a group snapshot whose volume is not known to the cluster.",
);
const contentName = text("The VolumeSnapshotContent that describes a snapshot which exists already. It has to refer to this object.");
const className = text(
  "The VolumeSnapshotClass with which the snapshot is taken. Without one, the default class of the volume's driver is used and written here.",
);

const status = {
  boundVolumeSnapshotContentName: text("The VolumeSnapshotContent that belongs to this object. Absent until it is known."),
  creationTime: dateTime("The moment whose data the snapshot holds, as the driver says."),
  error: lastError,
  readyToUse: flag("Whether a volume can be created from the snapshot. Absent as long as that is not known."),
  restoreSize: quantity("How big a volume that is created from the snapshot has to be at least. Absent if the driver does not say."),
};

const v1 = resource(
  about,
  {
    spec: object(
      aboutSpec,
      {
        source: ruled(
          object(aboutSource, {
            persistentVolumeClaimName: immutable(claimName, "persistentVolumeClaimName is immutable"),
            volumeSnapshotContentName: immutable(contentName, "volumeSnapshotContentName is immutable"),
          }),
          requiredOnceSet("persistentVolumeClaimName"),
          requiredOnceSet("volumeSnapshotContentName"),
          exactlyOne("volumeSnapshotContentName", "persistentVolumeClaimName"),
        ),
        volumeSnapshotClassName: notEmpty(className, "volumeSnapshotClassName must not be the empty string when set"),
      },
      ["source"],
    ),
    status: object(aboutStatus, {
      ...status,
      volumeGroupSnapshotName: text("The VolumeGroupSnapshot of which this snapshot is a member. Absent if it was taken alone."),
    }),
  },
  ["spec"],
);

const v1beta1 = bareResource(
  about,
  {
    spec: object(
      aboutSpec,
      {
        source: object(aboutSource, { persistentVolumeClaimName: claimName, volumeSnapshotContentName: contentName }),
        volumeSnapshotClassName: className,
      },
      ["source"],
    ),
    status: object(aboutStatus, status),
  },
  ["spec"],
);

export const volumeSnapshotDefinition = definition({
  group: snapshotGroup,
  kind: "VolumeSnapshot",
  plural: "volumesnapshots",
  shortNames: ["vs"],
  scope: "Namespaced",
  status: true,
  approvedIn: approvedIn(814),
  columns: [
    column("ReadyToUse", "boolean", ".status.readyToUse"),
    column("SourcePVC", "string", ".spec.source.persistentVolumeClaimName"),
    column("SourceSnapshotContent", "string", ".spec.source.volumeSnapshotContentName"),
    column("RestoreSize", "string", ".status.restoreSize"),
    column("SnapshotClass", "string", ".spec.volumeSnapshotClassName"),
    column("SnapshotContent", "string", ".status.boundVolumeSnapshotContentName"),
    column("CreationTime", "date", ".status.creationTime"),
    age,
  ],
  versions: snapshotVersions("VolumeSnapshot", v1, v1beta1),
});
