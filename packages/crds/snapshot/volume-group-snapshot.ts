import { age, column, definition, resource } from "../definition.ts";
import { atomic, atomicList, dateTime, flag, object, type Schema, text, textMap } from "../schema.ts";
import { exactlyOne, immutable, notEmpty, requiredOnceSet, ruled } from "../validation-rules.ts";
import { lastError } from "./common-fields.ts";
import { approvedIn, groupSnapshotGroup, groupSnapshotVersions } from "./versions.ts";

const expression = object(
  "A condition on one label.",
  {
    key: text("The key of the label."),
    operator: text("In, NotIn, Exists or DoesNotExist."),
    values: atomicList("The values to compare with: at least one for In and NotIn, none for the others.", { type: "string" }),
  },
  ["key", "operator"],
);
const selector = atomic(
  object(
    "The claims whose volumes are copied: those with matching labels in the namespace of the group snapshot. All conditions have to be met.",
    {
      matchExpressions: atomicList("Conditions on labels.", expression),
      matchLabels: textMap("Labels that a claim must have, with these values."),
    },
  ),
);
const contentName = text(
  "The VolumeGroupSnapshotContent that describes a group snapshot which exists already. It has to refer to this object.",
);

const source = ruled(
  object("Where the snapshots come from: exactly one of selector and volumeGroupSnapshotContentName. It cannot be changed later.", {
    selector: immutable(selector, "selector is immutable"),
    volumeGroupSnapshotContentName: immutable(contentName, "volumeGroupSnapshotContentName is immutable"),
  }),
  requiredOnceSet("selector"),
  requiredOnceSet("volumeGroupSnapshotContentName"),
  exactlyOne("selector", "volumeGroupSnapshotContentName"),
);
const className = notEmpty(
  text(
    "The VolumeGroupSnapshotClass with which the snapshots are taken. Without one, the default class of the volumes' driver is used and written here.",
  ),
  "volumeGroupSnapshotClassName must not be the empty string when set",
);

function schema(boundName: (plain: Schema) => Schema): Schema {
  return resource(
    "A request for snapshots of several claims, all of the same moment, or for a group snapshot that already exists in the storage system.",
    {
      spec: object("What is asked for. Set by the user.", { source, volumeGroupSnapshotClassName: className }, ["source"]),
      status: object(
        "How far the group snapshot is. Set by the snapshot-controller; trust readyToUse and the binding only if the content refers back.",
        {
          boundVolumeGroupSnapshotContentName: boundName(
            text("The VolumeGroupSnapshotContent that belongs to this object. Absent until it is known."),
          ),
          creationTime: dateTime("The moment whose data the snapshots hold, as the driver says."),
          error: lastError,
          readyToUse: flag("Whether volumes can be created from all of the snapshots. Absent as long as that is not known."),
        },
      ),
    },
    ["spec"],
  );
}

export const volumeGroupSnapshotDefinition = definition({
  group: groupSnapshotGroup,
  kind: "VolumeGroupSnapshot",
  plural: "volumegroupsnapshots",
  shortNames: ["vgs"],
  scope: "Namespaced",
  status: true,
  approvedIn: approvedIn(1337),
  columns: [
    column("ReadyToUse", "boolean", ".status.readyToUse"),
    column("VolumeGroupSnapshotClass", "string", ".spec.volumeGroupSnapshotClassName"),
    column("VolumeGroupSnapshotContent", "string", ".status.boundVolumeGroupSnapshotContentName"),
    column("CreationTime", "date", ".status.creationTime"),
    age,
  ],
  versions: groupSnapshotVersions(
    schema((boundName) => immutable(boundName, "boundVolumeGroupSnapshotContentName is immutable once set")),
    schema((boundName) => boundName),
  ),
});
