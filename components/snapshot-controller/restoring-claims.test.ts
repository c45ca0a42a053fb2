import { expect, test } from "bun:test";
import { claimFields } from "./fields.ts";
import { snapshotsRestoredBy } from "./restoring-claims.ts";
import { type ClaimParts, cached, claimOf } from "./testing/objects.ts";

const source = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "backup" };
const pending = { status: { phase: "Pending" } } as const;

test.each<[string, ClaimParts, readonly string[]]>([
  ["dataSource", { ...pending, spec: { dataSource: source } }, ["default/backup"]],
  ["dataSourceRef", { ...pending, spec: { dataSourceRef: source } }, ["default/backup"]],
  ["both, as the API server fills them in", { ...pending, spec: { dataSource: source, dataSourceRef: source } }, ["default/backup"]],
  ["of another namespace", { ...pending, spec: { dataSourceRef: { ...source, namespace: "prod" } } }, ["prod/backup"]],
  ["not once it is bound", { spec: { dataSource: source } }, []],
  ["nor when its volume is lost", { status: { phase: "Lost" }, spec: { dataSource: source } }, []],
  ["not a clone", { ...pending, spec: { dataSource: { kind: "PersistentVolumeClaim", name: "backup" } } }, []],
  ["not an equally named kind of others", { ...pending, spec: { dataSourceRef: { ...source, apiGroup: "example.com" } } }, []],
])("a claim restores the snapshot: %s", (_, claim, keys) => {
  expect(snapshotsRestoredBy(cached(claimFields, claimOf(claim)))).toEqual(keys);
});
