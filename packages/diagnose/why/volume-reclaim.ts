import {
  attacherFinalizerPrefix,
  provisionerFinalizer,
  refKey,
  type V1PersistentVolume,
  type V1VolumeAttachment,
  wellKnownAnnotation,
} from "@csi-sidecars/kube";
import { actorSteps } from "./actor-step.ts";
import { eventEvidence, lastSeen, newest } from "./events.ts";
import { type Evidence, type Step, step } from "./explanation.ts";
import type { VolumeFacts } from "./facts.ts";
import { translate } from "./grpc-words.ts";
import { valueIn } from "./look.ts";
import { listed } from "./plain-text.ts";

/** A volume whose claim is gone: kept on purpose, or on its way out. */
export function reclaimSteps(volume: V1PersistentVolume, facts: VolumeFacts): readonly Step[] {
  const name = refKey(facts.ref);
  const object = `PersistentVolume ${name}`;
  const policy = volume.spec?.persistentVolumeReclaimPolicy ?? "Retain";
  const since = volume.status?.lastPhaseTransitionTime;
  const byPolicy: Evidence = { object, field: "spec.persistentVolumeReclaimPolicy", value: policy, ...(since && { since }) };
  const { deletionTimestamp } = volume.metadata ?? {};
  if (policy !== "Delete" && !deletionTimestamp) {
    return [
      step(
        "waiting",
        `the volume is kept for you: its reclaim policy is ${policy}, so nobody deletes it`,
        [byPolicy],
        `to use it again: kubectl patch pv ${name} --type=json -p '[{"op":"remove","path":"/spec/claimRef"}]'; ` +
          "to be rid of it: delete the volume in the storage and this object, or set the policy to Delete",
      ),
    ];
  }
  const attachments = valueIn(facts.attachments) ?? [];
  const attached = attachments.length > 0 ? [attachedStep(attachments)] : [];
  if (policy !== "Delete") return [...attached, ...finalizerStep(volume)];
  const last = newest(facts.events, "VolumeFailedDelete");
  const actors = actorSteps(facts.actor, {
    ...{ sidecar: "provisioner", now: facts.now, capability: "CREATE_DELETE_VOLUME" },
    ...(last && { lastWord: lastSeen(last) }),
  });
  const decided = step("done", "the volume is to be deleted: its reclaim policy is Delete", [byPolicy]);
  if (deletionTimestamp && !volume.metadata?.finalizers?.includes(provisionerFinalizer.volume)) {
    const letGo = "the provisioner has nothing to do with the volume any more: its finalizer is off the object";
    return [decided, step("done", letGo), ...attached, ...finalizerStep(volume)];
  }
  return [decided, ...attached, ...actors, ...outcome(volume, facts, attached.length > 0, actors), ...finalizerStep(volume)];
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

function outcome(volume: V1PersistentVolume, facts: VolumeFacts, attached: boolean, actors: readonly Step[]): readonly Step[] {
  const last = newest(facts.events, "VolumeFailedDelete");
  if (last && !(attached && last.message?.includes("still attached"))) {
    const { code, meaning, remedy } = translate("delete", last.message ?? "");
    const what = code
      ? `the driver could not delete the volume: ${meaning} (${code})`
      : `the provisioner cannot have the volume deleted: ${meaning}`;
    return [step("failed", what, [eventEvidence(last)], remedy)];
  }
  if (!volume.spec?.csi && !volume.metadata?.annotations?.[wellKnownAnnotation.migratedTo]) {
    return [step("waiting", "the volume is not one of a CSI driver: its own plugin has to delete it", [], "look at the volume's events")];
  }
  if (attached || actors.some(({ state }) => state !== "done")) return [step("not yet", "the volume is deleted in the storage")];
  return [
    step("waiting", "the driver is deleting the volume, or will do so soon", [], "if it lasts, read the log of the driver's provisioner"),
  ];
}

/** Who keeps the object of a volume that is being deleted. */
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
      `the PersistentVolume object is being deleted, and kept by ${words.join(", ")}`,
      [{ object: `PersistentVolume ${name}`, field: "metadata.finalizers", value: finalizers.join(", "), since }],
      ours
        ? "removing finalizers by hand leaves the volume behind in the storage: see to the step that waits instead"
        : "see to the controller that set this finalizer",
    ),
  ];
}
