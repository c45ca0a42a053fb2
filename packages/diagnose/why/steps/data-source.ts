import { bytesOf } from "@csi-sidecars/base";
import { groupResourceOf, provisionerFinalizer, refKey, type V1PersistentVolumeClaim, VolumeSnapshot } from "@csi-sidecars/kube";
import { plain } from "../../text.ts";
import { type Step, step } from "../explanation.ts";
import type { ObservedClaim, ObservedDataSource } from "../gather/observed.ts";
import { populatorStep } from "./populator.ts";
import { explainSnapshot } from "./snapshot.ts";

/** Whether the data source of the claim exists and is ready, or whether somebody knows its kind; `undefined` for an empty volume. */
export function sourceStep(claim: V1PersistentVolumeClaim, observed: ObservedClaim): Step | undefined {
  const { source } = observed;
  if (!source) return undefined;
  switch (source.kind) {
    case "PersistentVolumeClaim":
      return cloneStep(claim, source);
    case "VolumeSnapshot":
      return snapshotStep(claim, source);
    case "other":
      return populatorStep(observed, source);
  }
}

type SourceOfKind<Kind> = Extract<ObservedDataSource, { readonly kind: Kind }>;

function cloneStep(claim: V1PersistentVolumeClaim, { ref, claim: lookup }: SourceOfKind<"PersistentVolumeClaim">): Step {
  const object = `PersistentVolumeClaim ${refKey(ref)}`;
  if (lookup.state === "unreadable") return step("done", `the volume is to be cloned from ${object}`);
  if (lookup.state === "missing") return absent(object);
  const { metadata, status, spec } = lookup.value;
  if (metadata?.deletionTimestamp && !isKeptFor(claim, lookup.value)) {
    return step(
      "failed",
      `the clone source ${object} is being deleted`,
      [{ object, field: "metadata.deletionTimestamp", value: metadata.deletionTimestamp, since: metadata.deletionTimestamp }],
      "recreate the claim with another source",
    );
  }
  if (status?.phase !== "Bound") {
    return step(
      "waiting",
      `the clone source ${object} is not bound`,
      [{ object, field: "status.phase", value: status?.phase ?? "Pending" }],
      `see csi-sidecars why pvc ${refKey(ref)}`,
    );
  }
  return tooSmall(claim, object, spec?.resources?.requests?.storage) ?? step("done", `${object} can be cloned`);
}

/** A source that was deleted after the clone was requested is kept until the clone exists. */
function isKeptFor(clone: V1PersistentVolumeClaim, { metadata }: V1PersistentVolumeClaim): boolean {
  const isProtected = metadata?.finalizers?.includes(provisionerFinalizer.cloneSource) ?? false;
  return isProtected && Date.parse(clone.metadata?.creationTimestamp ?? "") <= Date.parse(metadata?.deletionTimestamp ?? "");
}

function snapshotStep(claim: V1PersistentVolumeClaim, { ref, snapshot: lookup, observed, isServed }: SourceOfKind<"VolumeSnapshot">): Step {
  const object = `VolumeSnapshot ${refKey(ref)}`;
  if (lookup.state === "unreadable") return step("done", `the volume is to be restored from ${object}`);
  if (lookup.state === "missing") return isServed === false ? unknownKind(object) : absent(object);
  const { status } = lookup.value;
  const waits = observed && explainSnapshot(observed);
  const waiting = waits?.steps.find(({ what }) => what === waits.summary);
  if (waits && waiting) return step(waits.state, `${object} is not ready to use: ${waits.summary}`, waiting.evidence, waiting.remedy);
  const error = status?.error;
  if (error && !status.readyToUse) {
    const value = plain(error.message ?? "");
    return step(
      "failed",
      `${object} failed: ${value}`,
      [{ object, field: "status.error", value, ...(error.time && { since: error.time }) }],
      "take the snapshot again",
    );
  }
  if (!status?.boundVolumeSnapshotContentName || !status.readyToUse) {
    const missing = status?.boundVolumeSnapshotContentName ? "status.readyToUse" : "status.boundVolumeSnapshotContentName";
    const created = lookup.value.metadata?.creationTimestamp;
    return step(
      "waiting",
      `${object} is not ready to use`,
      [{ object, field: missing, value: missing === "status.readyToUse" ? "false" : "not set", ...(created && { since: created }) }],
      "if it stays so, check the snapshot's events, and that the snapshot controller and the csi-snapshotter run",
    );
  }
  return tooSmall(claim, object, status.restoreSize) ?? step("done", `${object} is ready`);
}

function unknownKind(object: string): Step {
  return step(
    "failed",
    `the data source is ${object}, and the cluster does not serve that kind`,
    [{ object: `CustomResourceDefinition ${groupResourceOf(VolumeSnapshot)}`, field: "metadata.name", value: "not found" }],
    "install the definitions and the snapshot-controller (docs/snapshots.md), then take the snapshot; or recreate the claim with another source",
  );
}

function absent(object: string): Step {
  return step(
    "failed",
    `the data source ${object} does not exist`,
    [{ object, field: "metadata.name", value: "not found" }],
    "create it, or recreate the claim with an existing source",
  );
}

function tooSmall(claim: V1PersistentVolumeClaim, object: string, needed: string | number | undefined): Step | undefined {
  const asked = claim.spec?.resources?.requests?.storage;
  if (needed === undefined || bytesOf(asked) >= bytesOf(needed)) return undefined;
  return step(
    "failed",
    `the claim requests ${asked}, less than the ${needed} of ${object}`,
    [{ object, field: "size", value: String(needed) }],
    `recreate the claim with at least ${needed}`,
  );
}
