import { noProvisioner, refKey, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { classStep } from "./claim-class.ts";
import { deletionStep } from "./claim-deletion.ts";
import { expansionSteps } from "./claim-expansion.ts";
import { modificationSteps } from "./claim-modification.ts";
import { classNameOf } from "./class-name.ts";
import { sourceStep } from "./data-source.ts";
import { type Explanation, explanation, notFound, type Step, step } from "./explanation.ts";
import type { ClaimFacts } from "./facts.ts";
import { consumerStep } from "./first-consumer.ts";
import { valueIn } from "./look.ts";
import { provisioningSteps } from "./provisioning.ts";
import { namedVolumeStep, staticVolumeStep } from "./static-volume.ts";

/** Why a claim is not bound, not gone, or not as large as it should be. */
export function explainClaim(facts: ClaimFacts): Explanation {
  const subject = `PersistentVolumeClaim ${refKey(facts.ref)}`;
  const claim = valueIn(facts.claim);
  if (!claim) return notFound(subject, facts.claim.state, facts.unseen);
  const steps = stepsOf(claim, facts);
  return explanation(subject, steps, facts.unseen, "nothing is waiting: the claim is bound");
}

function stepsOf(claim: V1PersistentVolumeClaim, facts: ClaimFacts): readonly Step[] {
  const deletion = claim.metadata?.deletionTimestamp ? [deletionStep(claim, facts)] : [];
  switch (claim.status?.phase) {
    case "Bound":
      return [
        boundStep(claim, facts),
        ...doomedStep(facts),
        ...expansionSteps(claim, facts),
        ...modificationSteps(claim, facts),
        ...deletion,
      ];
    case "Lost":
      return [lostStep(claim), ...deletion];
    default:
      return [...pendingSteps(claim, facts), ...deletion];
  }
}

const phaseOf = (claim: V1PersistentVolumeClaim, facts: ClaimFacts) => ({
  object: `PersistentVolumeClaim ${refKey(facts.ref)}`,
  field: "status.phase",
  value: claim.status?.phase ?? "Pending",
});

function boundStep(claim: V1PersistentVolumeClaim, facts: ClaimFacts): Step {
  const volume = claim.spec?.volumeName ?? "";
  if (facts.volume?.state === "missing") {
    return step(
      "failed",
      `the claim is bound to volume ${volume}, which does not exist any more`,
      [{ object: `PersistentVolume ${volume}`, field: "metadata.name", value: "not found" }],
      "the claim cannot be saved: restore the PersistentVolume object, or delete the claim and restore its data from a backup",
    );
  }
  return step("done", `the claim is bound to volume ${volume}`, [phaseOf(claim, facts)]);
}

/** The volume was deleted although the claim has it: it stays as long as the claim does. */
function doomedStep({ volume: look }: ClaimFacts): readonly Step[] {
  const { name, deletionTimestamp: since } = valueIn(look)?.metadata ?? {};
  if (!since) return [];
  return [
    step(
      "waiting",
      `volume ${name} is being deleted, and goes as soon as the claim does`,
      [{ object: `PersistentVolume ${name}`, field: "metadata.deletionTimestamp", value: since, since }],
      "save the data while the claim is there: a volume that is being deleted cannot be kept",
    ),
  ];
}

function lostStep(claim: V1PersistentVolumeClaim): Step {
  const { namespace, name } = claim.metadata ?? {};
  return step(
    "failed",
    `the claim has lost its volume ${claim.spec?.volumeName ?? ""}: the PersistentVolume object was deleted, or belongs to another claim`,
    [{ object: `PersistentVolumeClaim ${namespace}/${name}`, field: "status.phase", value: "Lost" }],
    "restore the PersistentVolume object with a claimRef to this claim, or delete the claim and make a new one",
  );
}

/** From the class to the volume; what comes after the first step that is not done is not yet to be judged. */
function pendingSteps(claim: V1PersistentVolumeClaim, facts: ClaimFacts): readonly Step[] {
  const steps: Step[] = [];
  const isDone = (more: readonly Step[]) => {
    steps.push(...more);
    return more.every(({ state }) => state === "done");
  };
  const rest = (...names: readonly string[]) => [...steps, ...names.map((what) => step("not yet", what))];
  const [made, bound] = ["the volume is made", "claim and volume are bound to each other"];
  const pinned = claim.spec?.volumeName ? namedVolumeStep(claim, facts) : undefined;
  if (pinned)
    return isDone([pinned])
      ? [...steps, step("waiting", "the cluster has yet to bind claim and volume", [phaseOf(claim, facts)])]
      : rest(bound);
  const byClass = classStep(claim, facts);
  const storageClass = valueIn(facts.storageClass);
  const unknownClass = facts.storageClass !== undefined && facts.storageClass.state === "unseen";
  if (!isDone([byClass])) return rest(made, bound);
  const byHand = !unknownClass && (classNameOf(claim) === "" || storageClass?.provisioner === noProvisioner);
  const source = sourceStep(claim, facts);
  if (source && !isDone([source])) return rest(made, bound);
  const late = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  if (late && !isDone([consumerStep(claim, facts, byHand)])) return rest(byHand ? "a volume is found" : made, bound);
  if (!isDone(byHand ? [staticVolumeStep(claim, facts)] : provisioningSteps(claim, facts))) return rest(bound);
  return [...steps, step("waiting", "the cluster has yet to bind the claim", [phaseOf(claim, facts)])];
}
