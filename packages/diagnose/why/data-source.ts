import { bytesOf } from "@csi-sidecars/base";
import { provisionerFinalizer, refKey, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { eventEvidence, newest } from "./events.ts";
import { type Step, step } from "./explanation.ts";
import type { ClaimFacts, SourceFacts } from "./facts.ts";
import { plain } from "./plain-text.ts";

/** Whether what the claim is to be filled from is there and ready; `undefined` for an empty volume. */
export function sourceStep(claim: V1PersistentVolumeClaim, facts: ClaimFacts): Step | undefined {
  const { source } = facts;
  if (!source) return undefined;
  switch (source.kind) {
    case "PersistentVolumeClaim":
      return cloneStep(claim, source);
    case "VolumeSnapshot":
      return snapshotStep(claim, source);
    case "other":
      return populatorStep(facts, source);
  }
}

type Of<Kind> = Extract<SourceFacts, { readonly kind: Kind }>;

function cloneStep(claim: V1PersistentVolumeClaim, { ref, claim: look }: Of<"PersistentVolumeClaim">): Step {
  const object = `PersistentVolumeClaim ${refKey(ref)}`;
  if (look.state === "unseen") return step("done", `the volume is to be a clone of ${object}`);
  if (look.state === "missing") return absent(object);
  const { metadata, status, spec } = look.value;
  if (metadata?.deletionTimestamp && !isKeptFor(claim, look.value)) {
    return step(
      "failed",
      `${object}, which is to be cloned, is being deleted`,
      [{ object, field: "metadata.deletionTimestamp", value: metadata.deletionTimestamp, since: metadata.deletionTimestamp }],
      "make the claim anew from another source",
    );
  }
  if (status?.phase !== "Bound") {
    return step(
      "waiting",
      `${object}, which is to be cloned, is not bound itself`,
      [{ object, field: "status.phase", value: status?.phase ?? "Pending" }],
      `see csi-sidecars why pvc ${refKey(ref)}`,
    );
  }
  return tooSmall(claim, object, spec?.resources?.requests?.storage) ?? step("done", `${object} can be cloned`);
}

/** A source that was deleted after the clone was asked for stays until that is made. */
function isKeptFor(clone: V1PersistentVolumeClaim, { metadata }: V1PersistentVolumeClaim): boolean {
  const isProtected = metadata?.finalizers?.includes(provisionerFinalizer.cloneSource) ?? false;
  return isProtected && Date.parse(clone.metadata?.creationTimestamp ?? "") <= Date.parse(metadata?.deletionTimestamp ?? "");
}

function snapshotStep(claim: V1PersistentVolumeClaim, { ref, snapshot: look }: Of<"VolumeSnapshot">): Step {
  const object = `VolumeSnapshot ${refKey(ref)}`;
  if (look.state === "unseen") return step("done", `the volume is to be made from ${object}`);
  if (look.state === "missing") return absent(object);
  const { status } = look.value;
  const error = status?.error;
  if (error && !status.readyToUse) {
    const value = plain(error.message ?? "");
    return step(
      "failed",
      `${object} failed: ${value}`,
      [{ object, field: "status.error", value, ...(error.time && { since: error.time }) }],
      "take the snapshot anew",
    );
  }
  if (!status?.boundVolumeSnapshotContentName || !status.readyToUse) {
    const missing = status?.boundVolumeSnapshotContentName ? "status.readyToUse" : "status.boundVolumeSnapshotContentName";
    const created = look.value.metadata?.creationTimestamp;
    return step(
      "waiting",
      `${object} is not ready to be used`,
      [{ object, field: missing, value: missing === "status.readyToUse" ? "false" : "not set", ...(created && { since: created }) }],
      "if it stays so, look at the snapshot's events, and whether the snapshot controller and the csi-snapshotter run",
    );
  }
  return tooSmall(claim, object, status.restoreSize) ?? step("done", `${object} is ready`);
}

function populatorStep(facts: ClaimFacts, { named, group, sourceKind, populators }: Of<"other">): Step {
  const object = `PersistentVolumeClaim ${refKey(facts.ref)}`;
  const evidence = { object, field: "spec.dataSourceRef", value: named };
  const known =
    populators.state === "seen" &&
    populators.value.some((each) => each.sourceKind?.kind === sourceKind && (each.sourceKind.group ?? "") === group);
  const complaint = newest(facts.events, "UnrecognizedDataSourceKind");
  if ((populators.state === "seen" && !known) || complaint) {
    return step(
      "failed",
      `the claim is to be filled from ${named}, and no volume populator is registered for that kind`,
      [evidence, ...(complaint ? [eventEvidence(complaint)] : [])],
      `install the populator for ${sourceKind}, or correct spec.dataSourceRef`,
    );
  }
  return step(
    "waiting",
    `a volume populator has to fill the volume from ${named}`,
    [evidence],
    "look at the log and the events of the populator for this kind",
  );
}

function absent(object: string): Step {
  return step(
    "failed",
    `${object}, from which the volume is to be made, does not exist`,
    [{ object, field: "metadata.name", value: "not found" }],
    "create it, or make the claim anew from a source that exists",
  );
}

function tooSmall(claim: V1PersistentVolumeClaim, object: string, needed: string | number | undefined): Step | undefined {
  const asked = claim.spec?.resources?.requests?.storage;
  if (needed === undefined || bytesOf(asked) >= bytesOf(needed)) return undefined;
  return step(
    "failed",
    `the claim asks for ${asked}, less than the ${needed} of ${object}`,
    [{ object, field: "size", value: String(needed) }],
    `make the claim anew with at least ${needed}`,
  );
}
