import { expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { send } from "../testing/steps.ts";
import * as of from "./testing/snapshot-objects.ts";
import { objectOf, type SnapshotKind } from "./testing/snapshot-objects.ts";

const file = fileCluster(() => startCluster({ definitions: snapshotDefinitions }));

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly type: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

/** What `kubectl get` asks for: the columns with their types, and the cells of the object. Ages are left out. */
async function printed(path: string): Promise<readonly string[]> {
  const { body } = await file.admin.accepting("application/json;as=Table;v=v1;g=meta.k8s.io").get(path);
  const { columnDefinitions, rows }: Table = body;
  return columnDefinitions.map(({ name, type, priority }, i) => {
    const cell = type === "date" ? (rows[0]?.cells[i] === null ? null : "<age>") : rows[0]?.cells[i];
    return `${name} ${type}${priority === 0 ? "" : " wide"}: ${cell}`;
  });
}

const printedAs: readonly (readonly [kind: SnapshotKind, columns: readonly string[]])[] = [
  [
    of.snapshots,
    [
      "ReadyToUse boolean: true",
      "SourcePVC string: c",
      "SourceSnapshotContent string: null",
      "RestoreSize string: 1Gi",
      "SnapshotClass string: k",
      "SnapshotContent string: b",
      "CreationTime date: <age>",
    ],
  ],
  [
    of.contents,
    [
      "ReadyToUse boolean: true",
      "RestoreSize integer: 5",
      "DeletionPolicy string: Delete",
      "Driver string: d",
      "VolumeSnapshotClass string: k",
      "VolumeSnapshot string: s",
      "VolumeSnapshotNamespace string: ns",
    ],
  ],
  [of.classes, ["Driver string: d", "DeletionPolicy string: Delete"]],
  [
    of.groupSnapshots,
    ["ReadyToUse boolean: true", "VolumeGroupSnapshotClass string: k", "VolumeGroupSnapshotContent string: b", "CreationTime date: <age>"],
  ],
  [
    of.groupContents,
    [
      "ReadyToUse boolean: true",
      "DeletionPolicy string: Delete",
      "Driver string: d",
      "VolumeGroupSnapshotClass string: k",
      "VolumeGroupSnapshotNamespace string: ns",
      "VolumeGroupSnapshot string: s",
    ],
  ],
  [of.groupClasses, ["Driver string: d", "DeletionPolicy string: Delete"]],
];

test.each(printedAs.map(([kind, columns]) => [kind.kind, kind, columns] as const))("kubectl get of a %s", async (_, kind, columns) => {
  const path = kind.path("v1");
  await send(file.admin, `POST ${path}`, objectOf(kind, "v1", "x"));
  if (kind.status) await send(file.admin, `MERGE ${path}/x/status`, { status: kind.status });
  for (const version of kind.versions) {
    expect(await printed(`${kind.path(version)}/x`)).toEqual(["Name string: x", ...columns, "Age date: <age>"]);
  }
});
