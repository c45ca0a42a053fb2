import type { Schema } from "../crd/structural-schema.ts";
import type { JsonObject } from "../json.ts";
import * as crd from "./schema-builders.ts";

const texts: Schema & JsonObject = { type: "array", items: crd.text, "x-kubernetes-list-type": "atomic" };
const expressions: Schema & JsonObject = {
  type: "array",
  items: crd.object({ key: crd.text, operator: crd.text, values: texts }, ["key", "operator"]),
  "x-kubernetes-list-type": "atomic",
};
const labelSelector: Schema & JsonObject = {
  ...crd.object({ matchExpressions: expressions, matchLabels: crd.stringMap }),
  "x-kubernetes-map-type": "atomic",
};

const source = crd.ruled(
  crd.object({
    selector: crd.immutable(labelSelector, "selector is immutable"),
    volumeGroupSnapshotContentName: crd.immutable(crd.text, "volumeGroupSnapshotContentName is immutable"),
  }),
  crd.requiredOnceSet("selector"),
  crd.requiredOnceSet("volumeGroupSnapshotContentName"),
  crd.exactlyOne("selector", "volumeGroupSnapshotContentName"),
);

function schema(bound: Schema): Schema {
  const className = crd.notEmpty("volumeGroupSnapshotClassName must not be the empty string when set");
  return crd.resourceSchema(
    {
      spec: crd.object({ source, volumeGroupSnapshotClassName: className }, ["source"]),
      status: crd.object({
        boundVolumeGroupSnapshotContentName: bound,
        creationTime: crd.dateTime,
        error: crd.problem,
        readyToUse: crd.flag,
      }),
    },
    ["spec"],
  );
}

const current = schema(crd.immutable(crd.text, "boundVolumeGroupSnapshotContentName is immutable once set"));

/** What users ask for: one snapshot of many claims at the same moment. */
export const volumeGroupSnapshotDefinition = crd.definition({
  group: "groupsnapshot.storage.k8s.io",
  kind: "VolumeGroupSnapshot",
  plural: "volumegroupsnapshots",
  singular: "volumegroupsnapshot",
  shortNames: ["vgs"],
  scope: "Namespaced",
  status: true,
  approvedIn: 1337,
  columns: [
    crd.column("ReadyToUse", "boolean", ".status.readyToUse"),
    crd.column("VolumeGroupSnapshotClass", "string", ".spec.volumeGroupSnapshotClassName"),
    crd.column("VolumeGroupSnapshotContent", "string", ".status.boundVolumeGroupSnapshotContentName"),
    crd.column("CreationTime", "date", ".status.creationTime"),
    crd.age,
  ],
  versions: crd.groupVersions(current, schema(crd.text)),
});
