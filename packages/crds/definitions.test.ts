import { expect, test } from "bun:test";
import { populatorDefinitions } from "./populator/volume-populator.ts";
import type { Schema } from "./schema.ts";
import { snapshotDefinitions } from "./snapshot/snapshot-definitions.ts";

const versions = [...snapshotDefinitions, ...populatorDefinitions].flatMap(({ spec }) =>
  spec.versions.map((version) => ({ spec, version })),
);
const withSchema = versions.map(({ spec, version }) => [spec.names.kind, version.name, version.schema.openAPIV3Schema] as const);

test("controllers use v1 of both groups of snapshots, which have beta versions too, and v1beta1 of populators", () => {
  const seen = versions.map(({ spec: { names, scope }, version: { name, served, storage, deprecated, subresources } }) =>
    [names.kind, scope, name, served && "served", storage && "stored", deprecated && "deprecated", subresources && "status"]
      .filter(Boolean)
      .join(" "),
  );
  expect(seen).toEqual([
    "VolumeSnapshot Namespaced v1 served stored status",
    "VolumeSnapshot Namespaced v1beta1 deprecated status",
    "VolumeSnapshotContent Cluster v1 served stored status",
    "VolumeSnapshotContent Cluster v1beta1 deprecated status",
    "VolumeSnapshotClass Cluster v1 served stored",
    "VolumeSnapshotClass Cluster v1beta1 deprecated",
    "VolumeGroupSnapshot Namespaced v1 served status",
    "VolumeGroupSnapshot Namespaced v1beta1 served deprecated status",
    "VolumeGroupSnapshot Namespaced v1beta2 served stored status",
    "VolumeGroupSnapshotContent Cluster v1 served status",
    "VolumeGroupSnapshotContent Cluster v1beta1 served deprecated status",
    "VolumeGroupSnapshotContent Cluster v1beta2 served stored status",
    "VolumeGroupSnapshotClass Cluster v1 served",
    "VolumeGroupSnapshotClass Cluster v1beta1 served deprecated",
    "VolumeGroupSnapshotClass Cluster v1beta2 served stored",
    "VolumePopulator Cluster v1beta1 served stored",
  ]);
});

test.each(withSchema)("%s %s: every field is described", (_kind, _version, schema) => {
  expect(undescribed(schema, "")).toEqual([]);
});

/** The paths of fields without description. Metadata has one of the API server's. */
function undescribed(schema: Schema, path: string): readonly string[] {
  const missing = schema.description === undefined && path !== ".metadata" ? [path] : [];
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => undescribed(field, `${path}.${name}`));
  const items = schema.items?.properties ? undescribed(schema.items, `${path}[]`) : [];
  return [...missing, ...inner, ...items];
}

test.each(withSchema)("%s %s: what is required exists", (_kind, _version, schema) => {
  expect(unknownRequired(schema)).toEqual([]);
});

function unknownRequired({ required = [], properties = {}, items }: Schema): readonly string[] {
  const inner = [...Object.values(properties), ...(items ? [items] : [])].flatMap(unknownRequired);
  return [...required.filter((name) => !(name in properties)), ...inner];
}
