import { keyOf, protectionFinalizer, provisionerFinalizer, refKey, type V1PersistentVolume } from "@csi-sidecars/kube";
import { type Evidence, type Explanation, explanation, notFound, type Step, step } from "./explanation.ts";
import type { VolumeFacts } from "./facts.ts";
import { valueIn } from "./look.ts";
import { mismatches } from "./match-volume.ts";
import { plain } from "./plain-text.ts";
import { reclaimSteps } from "./volume-reclaim.ts";

/** Why a volume is not bound, not deleted, or not gone. */
export function explainVolume(facts: VolumeFacts): Explanation {
  const subject = `PersistentVolume ${refKey(facts.ref)}`;
  const volume = valueIn(facts.volume);
  if (!volume) return notFound(subject, facts.volume.state, facts.unseen);
  return explanation(
    subject,
    stepsOf(volume, facts),
    facts.unseen,
    `nothing is waiting: the volume is ${volume.status?.phase ?? "Pending"}`,
  );
}

function stepsOf(volume: V1PersistentVolume, facts: VolumeFacts): readonly Step[] {
  const claim = volume.spec?.claimRef;
  const owner = `${claim?.namespace}/${claim?.name}`;
  const evidence = phaseEvidence(volume);
  switch (volume.status?.phase) {
    case "Bound":
      return [step("done", `the volume is bound to claim ${owner}`, [evidence]), ...boundSteps(volume, facts)];
    case "Available":
      return volume.metadata?.deletionTimestamp ? goingStep(volume) : [availableStep(volume, facts)];
    case "Released":
      return [step("done", `claim ${owner}, which had the volume, is gone`, [evidence]), ...reclaimSteps(volume, facts)];
    case "Failed": {
      const message = plain(volume.status.message ?? "");
      return [
        step(
          "failed",
          `the volume could not be reclaimed${message ? `: ${message}` : ""}`,
          [evidence],
          "see to the cause, then delete the PersistentVolume object; the volume in the storage may have to be deleted there",
        ),
        ...goingStep(volume),
      ];
    }
    default:
      return [
        step(
          "waiting",
          "the cluster has not looked at the volume yet",
          [evidence],
          "if it stays so, look whether kube-controller-manager runs",
        ),
        ...goingStep(volume),
      ];
  }
}

function phaseEvidence({ metadata, status }: V1PersistentVolume): Evidence {
  const since = status?.lastPhaseTransitionTime ?? metadata?.creationTimestamp;
  return {
    object: `PersistentVolume ${metadata?.name}`,
    field: "status.phase",
    value: status?.phase ?? "Pending",
    ...(since && { since }),
  };
}

/** Deleted while a claim has it. */
function boundSteps(volume: V1PersistentVolume, facts: VolumeFacts): readonly Step[] {
  const { deletionTimestamp, finalizers = [] } = volume.metadata ?? {};
  const claim = volume.spec?.claimRef;
  const owner = `${claim?.namespace}/${claim?.name}`;
  if (facts.claim?.state === "missing") {
    return [
      step(
        "waiting",
        `claim ${owner} is gone, and the cluster has yet to release the volume`,
        [],
        "if it stays so, look whether kube-controller-manager runs",
      ),
    ];
  }
  if (!deletionTimestamp) return [];
  const held = finalizers.includes(protectionFinalizer.volume);
  return [
    step(
      "waiting",
      `the volume is being deleted, and kept ${held ? `because claim ${owner} has it` : `by ${finalizers.join(", ")}`}`,
      [
        {
          object: `PersistentVolume ${volume.metadata?.name}`,
          field: "metadata.finalizers",
          value: finalizers.join(", "),
          since: deletionTimestamp,
        },
      ],
      `delete claim ${owner}; a volume that is being deleted cannot be saved`,
    ),
  ];
}

function goingStep({ metadata }: V1PersistentVolume): readonly Step[] {
  if (!metadata?.deletionTimestamp) return [];
  const finalizers = metadata.finalizers?.join(", ") || "none";
  const remedy = metadata.finalizers?.includes(provisionerFinalizer.volume)
    ? "the provisioner deletes only volumes that a claim has had; to let the object go and keep the volume in the storage, set spec.persistentVolumeReclaimPolicy to Retain"
    : "see to the controller that set this finalizer";
  const { name, deletionTimestamp: since } = metadata;
  const evidence = { object: `PersistentVolume ${name}`, field: "metadata.finalizers", value: finalizers, since };
  return [step("waiting", `the volume is being deleted, and kept by ${finalizers}`, [evidence], remedy)];
}

/** Nobody has it: which claims wait, and why none of them gets it. */
function availableStep(volume: V1PersistentVolume, facts: VolumeFacts): Step {
  const owner = volume.spec?.claimRef;
  const evidence = phaseEvidence(volume);
  if (owner && facts.claim?.state === "missing") {
    return step(
      "waiting",
      `the volume is kept for claim ${owner.namespace}/${owner.name}, which does not exist`,
      [{ ...evidence, field: "spec.claimRef", value: `${owner.namespace}/${owner.name}` }],
      "create that claim, or remove spec.claimRef so that others may have the volume",
    );
  }
  const reserved = owner && valueIn(facts.claim);
  const claims = reserved ? [reserved] : valueIn(facts.pendingClaims);
  if (!claims) return step("waiting", "no claim has the volume", [evidence]);
  const judged = claims
    .map((claim) => ({ claim, problems: mismatches(claim, volume) }))
    .sort((a, b) => a.problems.length - b.problems.length);
  const [best] = judged;
  if (!best) return step("waiting", "no claim has the volume, and none is waiting for one", [evidence], "create a claim for it");
  const name = keyOf(best.claim);
  if (best.problems.length === 0) {
    return step(
      "waiting",
      `claim ${name} fits, and has yet to be bound`,
      [evidence],
      `see csi-sidecars why pvc ${name}: it may wait for its first pod`,
    );
  }
  return step(
    "waiting",
    `no waiting claim fits the volume; nearest is ${name}: ${best.problems.join("; ")}`,
    judged
      .slice(0, 3)
      .map(
        ({ claim, problems }): Evidence => ({ object: `PersistentVolumeClaim ${keyOf(claim)}`, field: "spec", value: problems.join("; ") }),
      ),
    "change the volume, or make a claim that fits",
  );
}
