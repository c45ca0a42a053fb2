import {
  attacherFinalizerPrefix,
  provisionerFinalizer,
  refKey,
  type V1PersistentVolume,
  type V1VolumeAttachment,
  wellKnownAnnotation,
} from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { listed } from "../../text.ts";
import { eventEvidence } from "../events.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedVolume } from "../gather/observed.ts";
import { lastEvent, reportedAt } from "../operation-events.ts";
import { explainError } from "../words/driver-errors.ts";
import { readinessSteps } from "./readiness.ts";
import { unlessUnread } from "./unread-events.ts";

/** A volume whose claim is deleted: retained, or being deleted. */
export function reclaimSteps(volume: V1PersistentVolume, observed: ObservedVolume): readonly Step[] {
  const name = refKey(observed.ref);
  const object = `PersistentVolume ${name}`;
  const policy = volume.spec?.persistentVolumeReclaimPolicy ?? "Retain";
  const since = volume.status?.lastPhaseTransitionTime;
  const byPolicy: Evidence = { object, field: "spec.persistentVolumeReclaimPolicy", value: policy, ...(since && { since }) };
  const { deletionTimestamp } = volume.metadata ?? {};
  if (policy !== "Delete" && !deletionTimestamp) {
    return [
      step(
        "waiting",
        `the volume is kept: its reclaim policy is ${policy}`,
        [byPolicy],
        `to reuse it: kubectl patch pv ${name} --type=json -p '[{"op":"remove","path":"/spec/claimRef"}]'; ` +
          "to delete it: delete the volume in the storage and this object, or set the policy to Delete",
      ),
    ];
  }
  const attachments = foundIn(observed.attachments) ?? [];
  const attached = attachments.length > 0 ? [attachedStep(attachments)] : [];
  if (policy !== "Delete") return [...attached, ...finalizerStep(volume)];
  const last = lastEvent("delete", observed.events, observed.responsibleFor);
  const readiness = readinessSteps(observed, "delete", reportedAt(last));
  const decided = step("done", "the volume has to be deleted: its reclaim policy is Delete", [byPolicy]);
  if (deletionTimestamp && !volume.metadata?.finalizers?.includes(provisionerFinalizer.volume)) {
    const letGo = "the provisioner is done with the volume: its finalizer is removed";
    return [decided, step("done", letGo), ...attached, ...finalizerStep(volume)];
  }
  return [decided, ...attached, ...readiness, ...outcome(volume, observed, attached.length > 0, readiness), ...finalizerStep(volume)];
}

function attachedStep(attachments: readonly V1VolumeAttachment[]): Step {
  const nodes = attachments.map(({ spec }) => spec.nodeName);
  const [first] = attachments;
  return step(
    "waiting",
    `the volume is still attached to ${listed([...new Set(nodes)])}`,
    attachments.slice(0, 3).map(
      ({ metadata, spec, status }): Evidence => ({
        object: `VolumeAttachment ${metadata?.name}`,
        field: "status.attached",
        value: `${status?.attached ?? false} on ${spec.nodeName}`,
        ...(metadata?.deletionTimestamp && { since: metadata.deletionTimestamp }),
      }),
    ),
    `see csi-sidecars why volumeattachment ${first?.metadata?.name}`,
  );
}

function outcome(volume: V1PersistentVolume, observed: ObservedVolume, attached: boolean, readiness: readonly Step[]): readonly Step[] {
  const { events, responsibleFor } = observed;
  const last = lastEvent("delete", events, responsibleFor);
  const text = last?.event.message ?? "";
  const isAboutAttachment = attached && responsibleFor("delete")?.report.stillAttached?.isIn(text);
  if (last && !isAboutAttachment) {
    const { cause, remedy } = explainError("delete", text, responsibleFor);
    return [step("failed", `${last.declared.meaning}: ${cause}`, [eventEvidence(last.event)], remedy)];
  }
  if (!volume.spec?.csi && !volume.metadata?.annotations?.[wellKnownAnnotation.migratedTo]) {
    return [step("waiting", "the volume is not a CSI volume: its in-tree plugin has to delete it", [], "check the volume's events")];
  }
  if (attached || readiness.some(({ state }) => state !== "done")) return [step("not yet", "the volume is deleted in the storage")];
  const deleting = step(
    "waiting",
    "the driver is deleting the volume, or the next attempt is due soon",
    [],
    "if it stays so, check the log of the driver's provisioner",
  );
  return [unlessUnread(observed, "the provisioner", `PersistentVolume ${refKey(observed.ref)}`, deleting)];
}

/** What keeps the object of a volume that is being deleted. */
function finalizerStep({ metadata }: V1PersistentVolume): readonly Step[] {
  const { deletionTimestamp: since, finalizers = [], name } = metadata ?? {};
  if (!since || finalizers.length === 0) return [];
  const words = finalizers.map((each) => {
    if (each === provisionerFinalizer.volume) return `${each} (the volume in the storage is not deleted yet)`;
    if (each.startsWith(attacherFinalizerPrefix)) return `${each} (a VolumeAttachment names the volume, or the attacher does not run)`;
    return each;
  });
  const ours = finalizers.includes(provisionerFinalizer.volume) || finalizers.some((each) => each.startsWith(attacherFinalizerPrefix));
  return [
    step(
      "waiting",
      `the PersistentVolume object is being deleted, and is kept by ${words.join(", ")}`,
      [{ object: `PersistentVolume ${name}`, field: "metadata.finalizers", value: finalizers.join(", "), since }],
      ours
        ? "do not remove finalizers by hand, that leaks the volume in the storage: resolve the waiting step instead"
        : "check the controller that set this finalizer",
    ),
  ];
}
