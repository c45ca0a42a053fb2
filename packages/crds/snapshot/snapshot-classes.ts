import { age, bareResource, column, definition, resource } from "../definition.ts";
import { choice, text, textMap } from "../schema.ts";
import { immutable } from "../validation-rules.ts";
import { approvedIn, groupSnapshotGroup, groupSnapshotVersions, snapshotGroup, snapshotVersions } from "./versions.ts";

const required = ["deletionPolicy", "driver"];
const columns = [column("Driver", "string", ".driver"), column("DeletionPolicy", "string", ".deletionPolicy"), age];

const fields = {
  deletionPolicy: choice(
    "What happens in the storage system when a snapshot that was taken with this class is deleted from the cluster: Delete removes it there too, Retain keeps it.",
    "Delete",
    "Retain",
  ),
  driver: text("The name of the CSI driver that takes the snapshots."),
  parameters: textMap(
    "Parameters for the driver, passed on as they are. Those that begin with csi.storage.k8s.io/ are for the sidecar, such as the name of a secret.",
  ),
};

const about =
  "How snapshots of a driver are taken. A VolumeSnapshot names a class, or gets the one that is marked as the default for its driver.";

export const volumeSnapshotClassDefinition = definition({
  group: snapshotGroup,
  kind: "VolumeSnapshotClass",
  plural: "volumesnapshotclasses",
  shortNames: ["vsclass", "vsclasses"],
  scope: "Cluster",
  status: false,
  approvedIn: approvedIn(814),
  columns,
  versions: snapshotVersions("VolumeSnapshotClass", resource(about, fields, required), bareResource(about, fields, required)),
});

const aboutGroups =
  "How group snapshots of a driver are taken. A VolumeGroupSnapshot names a class, or gets the one that is marked as the default for its driver.";

const immutableFields = {
  deletionPolicy: immutable(fields.deletionPolicy, "deletionPolicy is immutable once set"),
  driver: immutable(fields.driver, "driver is immutable once set"),
  parameters: immutable(fields.parameters, "parameters are immutable once set"),
};

export const volumeGroupSnapshotClassDefinition = definition({
  group: groupSnapshotGroup,
  kind: "VolumeGroupSnapshotClass",
  plural: "volumegroupsnapshotclasses",
  shortNames: ["vgsclass", "vgsclasses"],
  scope: "Cluster",
  status: false,
  approvedIn: approvedIn(1337),
  columns,
  versions: groupSnapshotVersions(resource(aboutGroups, immutableFields, required), resource(aboutGroups, fields, required)),
});
