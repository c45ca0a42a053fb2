import { describe } from "bun:test";
import type { ClaimFacts } from "./facts.ts";
import { missing, seen } from "./look.ts";
import { table } from "./testing/claim-cases.ts";
import { ago, bound, claim, claimFacts, driver, event } from "./testing/objects.ts";

describe("a data source", () => {
  const ref = { namespace: "default", name: "src" };
  const from = (source: NonNullable<ClaimFacts["source"]>, events: ClaimFacts["events"] = []) => claimFacts(claim(), { source, events });
  const snapshot = (status: object) => from({ kind: "VolumeSnapshot", ref, snapshot: seen({ status }) });
  const ready = { readyToUse: true, boundVolumeSnapshotContentName: "c" };
  const other = { kind: "other", named: "Book default/src", group: "library.io", sourceKind: "Book" } as const;
  table([
    [
      "a snapshot that does not exist",
      from({ kind: "VolumeSnapshot", ref, snapshot: missing }),
      ["failed", "VolumeSnapshot default/src, from which the volume is to be made, does not exist", "create it"],
    ],
    [
      "a snapshot that is not ready",
      snapshot({ ...ready, readyToUse: false }),
      ["waiting", "VolumeSnapshot default/src is not ready to be used"],
    ],
    ["a snapshot that is not bound", snapshot({}), ["waiting", "VolumeSnapshot default/src is not ready to be used"]],
    [
      "a snapshot that failed",
      snapshot({ error: { message: "disk on fire" } }),
      ["failed", "VolumeSnapshot default/src failed: disk on fire", "anew"],
    ],
    [
      "a snapshot that is larger",
      snapshot({ ...ready, restoreSize: "2Gi" }),
      ["failed", "the claim asks for 1Gi, less than the 2Gi of VolumeSnapshot default/src", "at least 2Gi"],
    ],
    ["a snapshot that is ready", snapshot(ready), ["waiting", `${driver} has not said anything about the claim`]],
    [
      "a claim that does not exist",
      from({ kind: "PersistentVolumeClaim", ref, claim: missing }),
      ["failed", "PersistentVolumeClaim default/src, from which the volume is to be made, does not exist"],
    ],
    [
      "a claim that is not bound",
      from({ kind: "PersistentVolumeClaim", ref, claim: seen(claim()) }),
      ["waiting", "PersistentVolumeClaim default/src, which is to be cloned, is not bound itself", "why pvc default/src"],
    ],
    [
      "a claim that is being deleted",
      from({ kind: "PersistentVolumeClaim", ref, claim: seen(bound({}, {}, { deletionTimestamp: ago(1) })) }),
      ["failed", "PersistentVolumeClaim default/src, which is to be cloned, is being deleted"],
    ],
    [
      "a claim that is being deleted, and stays until this clone of it is made",
      from({
        kind: "PersistentVolumeClaim",
        ref,
        claim: seen(bound({}, {}, { deletionTimestamp: ago(1), finalizers: ["provisioner.storage.kubernetes.io/cloning-protection"] })),
      }),
      ["waiting", `${driver} has not said anything about the claim`],
    ],
    [
      "a claim that was being deleted before this one was made",
      from({
        kind: "PersistentVolumeClaim",
        ref,
        claim: seen(bound({}, {}, { deletionTimestamp: ago(30), finalizers: ["provisioner.storage.kubernetes.io/cloning-protection"] })),
      }),
      ["failed", "PersistentVolumeClaim default/src, which is to be cloned, is being deleted"],
    ],
    [
      "a kind that a populator serves",
      from({ ...other, populators: seen([{ sourceKind: { group: "library.io", kind: "Book" } }]) }),
      ["waiting", "a volume populator has to fill the volume from Book default/src"],
    ],
    [
      "a kind that nobody serves",
      from({ ...other, populators: seen([]) }),
      [
        "failed",
        "the claim is to be filled from Book default/src, and no volume populator is registered for that kind",
        "install the populator",
      ],
    ],
    [
      "a kind that the validator complained of",
      from({ ...other, populators: missing }, [event("PersistentVolumeClaim", "UnrecognizedDataSourceKind", "no match")]),
      ["failed", "the claim is to be filled from Book default/src, and no volume populator is registered for that kind"],
    ],
  ]);
});
