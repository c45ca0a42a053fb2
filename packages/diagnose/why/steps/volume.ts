import { keyOf, protectionFinalizer, provisionerFinalizer, refKey, type V1PersistentVolume } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { plain } from "../../text.ts";
import { type Evidence, type Explanation, explanation, notFound, type Step, step } from "../explanation.ts";
import type { ObservedVolume } from "../gather/observed.ts";
import { deletedVolumeRemedy } from "../words/keep-data.ts";
import { conditionSteps } from "./conditions.ts";
import { mismatches } from "./static-volume.ts";
import { reclaimSteps } from "./volume-reclaim.ts";

/** Why a volume is not bound, or not deleted, and what is wrong with it. */
export function explainVolume(observed: ObservedVolume): Explanation {
  const subject = `PersistentVolume ${refKey(observed.ref)}`;
  const volume = foundIn(observed.volume);
  if (!volume) return notFound(subject, observed.volume, observed.notes);
  return explanation(
    subject,
    stepsOf(volume, observed),
    observed.notes,
    `nothing is waiting: the volume is ${volume.status?.phase ?? "Pending"}`,
  );
}

function stepsOf(volume: V1PersistentVolume, observed: ObservedVolume): readonly Step[] {
  const claim = volume.spec?.claimRef;
  const owner = `${claim?.namespace}/${claim?.name}`;
  const evidence = phaseEvidence(volume);
  switch (volume.status?.phase) {
    case "Bound":
      return [
        step("done", `the volume is bound to claim ${owner}`, [evidence]),
        ...conditionSteps(observed),
        ...boundSteps(volume, observed),
      ];
    case "Available":
      return volume.metadata?.deletionTimestamp ? deletionStep(volume) : [availableStep(volume, observed)];
    case "Released":
      return [step("done", `claim ${owner}, to which the volume was bound, is deleted`, [evidence]), ...reclaimSteps(volume, observed)];
    case "Failed": {
      const message = plain(volume.status.message ?? "");
      return [
        step(
          "failed",
          `the volume could not be reclaimed${message ? `: ${message}` : ""}`,
          [evidence],
          "fix the cause, then delete the PersistentVolume object; the volume in the storage may have to be deleted by hand",
        ),
        ...deletionStep(volume),
      ];
    }
    default:
      return [
        step(
          "waiting",
          "kube-controller-manager has not processed the volume yet",
          [evidence],
          "if it stays so, check that kube-controller-manager runs",
        ),
        ...deletionStep(volume),
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

/** A bound volume: its claim may be deleted, or the volume itself while the claim exists. */
function boundSteps(volume: V1PersistentVolume, observed: ObservedVolume): readonly Step[] {
  const { deletionTimestamp, finalizers = [] } = volume.metadata ?? {};
  const claim = volume.spec?.claimRef;
  const owner = `${claim?.namespace}/${claim?.name}`;
  if (observed.claim?.state === "missing") {
    return [
      step(
        "waiting",
        `claim ${owner} is deleted, and the volume is not released yet`,
        [],
        "if it stays so, check that kube-controller-manager runs",
      ),
    ];
  }
  if (!deletionTimestamp) return [];
  const held = finalizers.includes(protectionFinalizer.volume);
  return [
    step(
      "waiting",
      `the volume is being deleted, and is kept ${held ? `because it is bound to claim ${owner}` : `by ${finalizers.join(", ")}`}`,
      [
        {
          object: `PersistentVolume ${volume.metadata?.name}`,
          field: "metadata.finalizers",
          value: finalizers.join(", "),
          since: deletionTimestamp,
        },
      ],
      `${deletedVolumeRemedy(volume)}; the object goes when claim ${owner} is deleted`,
    ),
  ];
}

function deletionStep({ metadata }: V1PersistentVolume): readonly Step[] {
  if (!metadata?.deletionTimestamp) return [];
  const finalizers = metadata.finalizers?.join(", ") || "none";
  const remedy = metadata.finalizers?.includes(provisionerFinalizer.volume)
    ? "the provisioner deletes only volumes that were bound to a claim; to remove the object and keep the volume in the storage, set spec.persistentVolumeReclaimPolicy to Retain"
    : "check the controller that set this finalizer";
  const { name, deletionTimestamp: since } = metadata;
  const evidence = { object: `PersistentVolume ${name}`, field: "metadata.finalizers", value: finalizers, since };
  return [step("waiting", `the volume is being deleted, and is kept by ${finalizers}`, [evidence], remedy)];
}

/** An available volume: which claims are pending, and why none of them is bound to it. */
function availableStep(volume: V1PersistentVolume, observed: ObservedVolume): Step {
  const owner = volume.spec?.claimRef;
  const evidence = phaseEvidence(volume);
  if (owner && observed.claim?.state === "missing") {
    return step(
      "waiting",
      `the volume is reserved for claim ${owner.namespace}/${owner.name}, which does not exist`,
      [{ ...evidence, field: "spec.claimRef", value: `${owner.namespace}/${owner.name}` }],
      "create that claim, or remove spec.claimRef so that other claims can be bound to the volume",
    );
  }
  const reserved = owner && foundIn(observed.claim);
  const claims = reserved ? [reserved] : foundIn(observed.pendingClaims);
  if (!claims) return step("waiting", "no claim is bound to the volume", [evidence]);
  const judged = claims
    .map((claim) => ({ claim, problems: mismatches(claim, volume) }))
    .sort((a, b) => a.problems.length - b.problems.length);
  const [best] = judged;
  if (!best) return step("waiting", "no claim is bound to the volume, and none is pending", [evidence], "create a claim for it");
  const name = keyOf(best.claim);
  if (best.problems.length === 0) {
    return step(
      "waiting",
      `claim ${name} matches, and is not bound yet`,
      [evidence],
      `see csi-sidecars why pvc ${name}: it may wait for its first pod`,
    );
  }
  return step(
    "waiting",
    `no pending claim matches the volume; the closest is ${name}: ${best.problems.join("; ")}`,
    judged
      .slice(0, 3)
      .map(
        ({ claim, problems }): Evidence => ({ object: `PersistentVolumeClaim ${keyOf(claim)}`, field: "spec", value: problems.join("; ") }),
      ),
    "change the volume, or create a claim that matches",
  );
}
