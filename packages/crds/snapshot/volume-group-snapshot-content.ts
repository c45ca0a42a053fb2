import { age, column, definition, resource } from "../definition.ts";
import { atomic, choice, dateTime, flag, int64, list, object, type Schema, text } from "../schema.ts";
import { exactlyOne, immutable, named, requiredOnceSet, ruled } from "../validation-rules.ts";
import { lastError, objectReference } from "./common-fields.ts";
import { approvedIn, groupSnapshotGroup, groupSnapshotVersions } from "./versions.ts";

const about = "A group snapshot in the storage system: what a VolumeGroupSnapshot is bound to.";

const source = ruled(
  object("Where the snapshots come from: exactly one of volumeHandles and groupSnapshotHandles. It cannot be changed later.", {
    groupSnapshotHandles: immutable(
      object(
        "The driver's handles of a group snapshot that exists already.",
        {
          volumeGroupSnapshotHandle: text("The handle of the group."),
          volumeSnapshotHandles: list("The handles of its snapshots.", { type: "string" }),
        },
        ["volumeGroupSnapshotHandle", "volumeSnapshotHandles"],
      ),
      "groupSnapshotHandles is immutable",
    ),
    volumeHandles: immutable(
      list("The driver's handles of the volumes of which snapshots are taken.", { type: "string" }),
      "volumeHandles is immutable",
    ),
  }),
  requiredOnceSet("volumeHandles"),
  requiredOnceSet("groupSnapshotHandles"),
  exactlyOne("volumeHandles", "groupSnapshotHandles"),
);

const driver = text("The name of the CSI driver that takes and deletes the group snapshot.");
const className = text("The VolumeGroupSnapshotClass with which the group snapshot was taken. It may be gone since.");
const reference = atomic(
  objectReference(
    "The VolumeGroupSnapshot that this content belongs to. Its UID is added when they are bound; for a group snapshot that exists already, name and namespace are enough.",
  ),
);
const isNamed = named("both volumeGroupSnapshotRef.name and volumeGroupSnapshotRef.namespace must be set");

function spec(changing: Record<"driver" | "volumeGroupSnapshotClassName" | "volumeGroupSnapshotRef", Schema>): Schema {
  const deletionPolicy = choice(
    "What happens to the snapshots in the storage system when the VolumeGroupSnapshot is deleted: Delete removes them, Retain keeps them and this object.",
    "Delete",
    "Retain",
  );
  return object(
    "Which group snapshot this is, and what happens to it. Set by the snapshot-controller, or by an administrator for one that exists already.",
    { deletionPolicy, source, ...changing },
    ["deletionPolicy", "driver", "source", "volumeGroupSnapshotRef"],
  );
}

const groupHandle = text("The driver's handle of the group snapshot. Absent until it is taken.");
const volumeHandle = text("The driver's handle of the volume.");
const snapshotHandle = text("The driver's handle of the snapshot.");

function status(handle: Schema, members: Readonly<Record<string, Schema>>): Schema {
  return object("How far the group snapshot is. Set by the driver's sidecar.", {
    creationTime: dateTime("The moment whose data the snapshots hold, as the driver says."),
    error: lastError,
    readyToUse: flag("Whether volumes can be created from all of the snapshots. Absent as long as that is not known."),
    volumeGroupSnapshotHandle: handle,
    ...members,
  });
}

const current = resource(
  about,
  {
    spec: spec({
      driver: immutable(driver, "driver is immutable once set"),
      volumeGroupSnapshotClassName: immutable(className, "volumeGroupSnapshotClassName is immutable once set"),
      volumeGroupSnapshotRef: ruled(
        reference,
        isNamed,
        {
          rule: "self.name == oldSelf.name && self.__namespace__ == oldSelf.__namespace__",
          message: "volumeGroupSnapshotRef.name and volumeGroupSnapshotRef.namespace are immutable",
        },
        {
          rule: "!has(oldSelf.uid) || (has(self.uid) && self.uid == oldSelf.uid)",
          message: "volumeGroupSnapshotRef.uid is immutable once set",
        },
      ),
    }),
    status: status(immutable(groupHandle, "volumeGroupSnapshotHandle is immutable once set"), {
      volumeSnapshotInfoList: list(
        "The snapshots of the group.",
        object("One snapshot.", {
          creationTime: int64("The moment whose data the snapshot holds, as the driver says, in nanoseconds since 1970."),
          readyToUse: flag("Whether a volume can be created from the snapshot."),
          restoreSize: int64("The size of the snapshot in bytes: a volume that is created from it has to be as big."),
          snapshotHandle,
          volumeHandle,
        }),
      ),
    }),
  },
  ["spec"],
);

const v1beta1 = resource(
  about,
  {
    spec: spec({ driver, volumeGroupSnapshotClassName: className, volumeGroupSnapshotRef: ruled(reference, isNamed) }),
    status: status(groupHandle, {
      volumeSnapshotHandlePairList: list(
        "The snapshots of the group.",
        object("One snapshot.", { snapshotHandle, volumeHandle }, ["snapshotHandle", "volumeHandle"]),
      ),
    }),
  },
  ["spec"],
);

export const volumeGroupSnapshotContentDefinition = definition({
  group: groupSnapshotGroup,
  kind: "VolumeGroupSnapshotContent",
  plural: "volumegroupsnapshotcontents",
  shortNames: ["vgsc", "vgscs"],
  scope: "Cluster",
  status: true,
  approvedIn: approvedIn(1337),
  columns: [
    column("ReadyToUse", "boolean", ".status.readyToUse"),
    column("DeletionPolicy", "string", ".spec.deletionPolicy"),
    column("Driver", "string", ".spec.driver"),
    column("VolumeGroupSnapshotClass", "string", ".spec.volumeGroupSnapshotClassName"),
    column("VolumeGroupSnapshotNamespace", "string", ".spec.volumeGroupSnapshotRef.namespace"),
    column("VolumeGroupSnapshot", "string", ".spec.volumeGroupSnapshotRef.name"),
    age,
  ],
  versions: groupSnapshotVersions(current, v1beta1),
});
