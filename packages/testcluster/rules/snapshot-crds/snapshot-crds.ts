import type { JsonObject } from "../json.ts";
import * as crd from "./schema-builders.ts";
import { volumeGroupSnapshotDefinition } from "./volume-group-snapshot.ts";
import { volumeGroupSnapshotContentDefinition } from "./volume-group-snapshot-content.ts";
import { volumeSnapshotDefinition } from "./volume-snapshot.ts";
import { volumeSnapshotContentDefinition } from "./volume-snapshot-content.ts";

const required = ["deletionPolicy", "driver"];
const plain = crd.resourceSchema({ deletionPolicy: crd.deletionPolicy, driver: crd.text, parameters: crd.stringMap }, required);
const columns = [crd.column("Driver", "string", ".driver"), crd.column("DeletionPolicy", "string", ".deletionPolicy"), crd.age];

/** How snapshots are taken. */
const volumeSnapshotClassDefinition = crd.definition({
  group: "snapshot.storage.k8s.io",
  kind: "VolumeSnapshotClass",
  plural: "volumesnapshotclasses",
  singular: "volumesnapshotclass",
  shortNames: ["vsclass", "vsclasses"],
  scope: "Cluster",
  status: false,
  approvedIn: 814,
  columns,
  versions: crd.snapshotVersions("VolumeSnapshotClass", plain, plain),
});

const unchangeable = crd.resourceSchema(
  {
    deletionPolicy: crd.immutable(crd.deletionPolicy, "deletionPolicy is immutable once set"),
    driver: crd.immutable(crd.text, "driver is immutable once set"),
    parameters: crd.immutable(crd.stringMap, "parameters are immutable once set"),
  },
  required,
);

/** How group snapshots are taken; a current version never changes. */
const volumeGroupSnapshotClassDefinition = crd.definition({
  group: "groupsnapshot.storage.k8s.io",
  kind: "VolumeGroupSnapshotClass",
  plural: "volumegroupsnapshotclasses",
  singular: "volumegroupsnapshotclass",
  shortNames: ["vgsclass", "vgsclasses"],
  scope: "Cluster",
  status: false,
  approvedIn: 1337,
  columns,
  versions: crd.groupVersions(unchangeable, plain),
});

/** The CustomResourceDefinitions of snapshots and group snapshots, for the embedded and for a real API server. */
export const snapshotDefinitions: readonly JsonObject[] = [
  volumeSnapshotDefinition,
  volumeSnapshotContentDefinition,
  volumeSnapshotClassDefinition,
  volumeGroupSnapshotDefinition,
  volumeGroupSnapshotContentDefinition,
  volumeGroupSnapshotClassDefinition,
];
