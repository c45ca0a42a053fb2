import { describe } from "bun:test";
import { found, missing } from "../../access/read-cluster.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { table } from "../testing/claim-cases.ts";
import { ago, bound, claim, driver, event, observedClaim } from "../testing/objects.ts";
import { beingCreated, content, observedSnapshot, snapshot as snapshotObject, withContent } from "../testing/snapshot-objects.ts";

describe("a data source", () => {
  const ref = { namespace: "default", name: "src" };
  const from = (source: NonNullable<ObservedClaim["source"]>, events: ObservedClaim["events"] = []) =>
    observedClaim(claim(), { source, events });
  const snapshot = (status: object) => from({ kind: "VolumeSnapshot", ref, snapshot: found({ status }) });
  const ready = { readyToUse: true, boundVolumeSnapshotContentName: "c" };
  const other = { kind: "other", named: "Book default/src", group: "library.io", sourceKind: "Book" } as const;
  table([
    [
      "a snapshot that does not exist",
      from({ kind: "VolumeSnapshot", ref, snapshot: missing }),
      ["failed", "the data source VolumeSnapshot default/src does not exist", "create it"],
    ],
    [
      "a snapshot that is not ready",
      snapshot({ ...ready, readyToUse: false }),
      ["waiting", "VolumeSnapshot default/src is not ready to use"],
    ],
    ["a snapshot that is not bound", snapshot({}), ["waiting", "VolumeSnapshot default/src is not ready to use"]],
    [
      "a snapshot that failed",
      snapshot({ error: { message: "disk on fire" } }),
      ["failed", "VolumeSnapshot default/src failed: disk on fire", "again"],
    ],
    [
      "a snapshot that waits for something itself",
      from({
        kind: "VolumeSnapshot",
        ref,
        snapshot: found({}),
        observed: observedSnapshot(snapshotObject(), { snapshotClass: missing }),
      }),
      [
        "failed",
        "VolumeSnapshot default/src is not ready to use: the snapshot names class gold, which does not exist",
        "create class gold",
      ],
    ],
    [
      "a snapshot that the driver is taking",
      from({ kind: "VolumeSnapshot", ref, snapshot: found({}), observed: withContent(content({}, {}, { annotations: beingCreated })) }),
      ["waiting", "VolumeSnapshot default/src is not ready to use: the driver is taking the snapshot", "check the logs"],
    ],
    [
      "a snapshot that is larger",
      snapshot({ ...ready, restoreSize: "2Gi" }),
      ["failed", "the claim requests 1Gi, less than the 2Gi of VolumeSnapshot default/src", "at least 2Gi"],
    ],
    ["a snapshot that is ready", snapshot(ready), ["waiting", `${driver} has not reported anything about the claim`]],
    [
      "a claim that does not exist",
      from({ kind: "PersistentVolumeClaim", ref, claim: missing }),
      ["failed", "the data source PersistentVolumeClaim default/src does not exist"],
    ],
    [
      "a claim that is not bound",
      from({ kind: "PersistentVolumeClaim", ref, claim: found(claim()) }),
      ["waiting", "the clone source PersistentVolumeClaim default/src is not bound", "why pvc default/src"],
    ],
    [
      "a claim that is being deleted",
      from({ kind: "PersistentVolumeClaim", ref, claim: found(bound({}, {}, { deletionTimestamp: ago(1) })) }),
      ["failed", "the clone source PersistentVolumeClaim default/src is being deleted"],
    ],
    [
      "a claim that is being deleted, and is kept until this clone of it exists",
      from({
        kind: "PersistentVolumeClaim",
        ref,
        claim: found(bound({}, {}, { deletionTimestamp: ago(1), finalizers: ["provisioner.storage.kubernetes.io/cloning-protection"] })),
      }),
      ["waiting", `${driver} has not reported anything about the claim`],
    ],
    [
      "a claim that was being deleted before this one was created",
      from({
        kind: "PersistentVolumeClaim",
        ref,
        claim: found(bound({}, {}, { deletionTimestamp: ago(30), finalizers: ["provisioner.storage.kubernetes.io/cloning-protection"] })),
      }),
      ["failed", "the clone source PersistentVolumeClaim default/src is being deleted"],
    ],
    [
      "a kind that a populator serves",
      from({ ...other, populators: found([{ sourceKind: { group: "library.io", kind: "Book" } }]) }),
      ["waiting", "a volume populator has to populate the volume from Book default/src"],
    ],
    [
      "a kind without populator",
      from({ ...other, populators: found([]) }),
      [
        "failed",
        "the data source of the claim is Book default/src, and no volume populator is registered for that kind",
        "install the populator",
      ],
    ],
    [
      "a kind that the validator complained of",
      from({ ...other, populators: missing }, [event("PersistentVolumeClaim", "UnrecognizedDataSourceKind", "no match")]),
      ["failed", "the data source of the claim is Book default/src, and no volume populator is registered for that kind"],
    ],
  ]);
});
