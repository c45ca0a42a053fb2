import { noProvisioner, refKey, storageClassName, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { type Explanation, explanation, notFound, type Step, step } from "../explanation.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { deletedVolumeRemedy } from "../words/keep-data.ts";
import { deletionStep } from "./claim-deletion.ts";
import { expansionSteps } from "./claim-expansion.ts";
import { modificationSteps } from "./claim-modification.ts";
import { conditionSteps } from "./conditions.ts";
import { sourceStep } from "./data-source.ts";
import { consumerStep } from "./first-consumer.ts";
import { growthLimits } from "./growth-limits.ts";
import { populationStep } from "./populator.ts";
import { provisioningSteps } from "./provisioning.ts";
import { namedVolumeStep, staticVolumeStep } from "./static-volume.ts";
import { classStep } from "./storage-class.ts";

/** Why a claim is not bound, not deleted, not expanded or not modified, and what is wrong with its volume. */
export function explainClaim(observed: ObservedClaim): Explanation {
  const subject = `PersistentVolumeClaim ${refKey(observed.ref)}`;
  const claim = foundIn(observed.claim);
  if (!claim) return notFound(subject, observed.claim, observed.notes);
  const steps = stepsOf(claim, observed);
  return explanation(subject, steps, observed.notes, "nothing is waiting: the claim is bound", growthLimits(claim, observed));
}

function stepsOf(claim: V1PersistentVolumeClaim, observed: ObservedClaim): readonly Step[] {
  const deletion = claim.metadata?.deletionTimestamp ? [deletionStep(claim, observed)] : [];
  switch (claim.status?.phase) {
    case "Bound":
      return [
        boundStep(claim, observed),
        ...conditionSteps(observed),
        ...deletedVolumeStep(observed),
        ...changeSteps(claim, observed),
        ...deletion,
      ];
    case "Lost":
      return [lostStep(claim), ...deletion];
    default:
      return [...pendingSteps(claim, observed), ...deletion];
  }
}

/** A volume may be expanded and modified at the same time, by one sidecar: what both need is said once. */
function changeSteps(claim: V1PersistentVolumeClaim, observed: ObservedClaim): readonly Step[] {
  const expansion = expansionSteps(claim, observed);
  const said = new Set(expansion.map(({ what }) => what));
  return [...expansion, ...modificationSteps(claim, observed).filter(({ what }) => !said.has(what))];
}

const phaseOf = (claim: V1PersistentVolumeClaim, observed: ObservedClaim) => ({
  object: `PersistentVolumeClaim ${refKey(observed.ref)}`,
  field: "status.phase",
  value: claim.status?.phase ?? "Pending",
});

function boundStep(claim: V1PersistentVolumeClaim, observed: ObservedClaim): Step {
  const volume = claim.spec?.volumeName ?? "";
  if (observed.volume?.state === "missing") {
    return step(
      "failed",
      `the claim is bound to volume ${volume}, which does not exist any more`,
      [{ object: `PersistentVolume ${volume}`, field: "metadata.name", value: "not found" }],
      "restore the PersistentVolume object, or delete the claim and restore its data from a backup",
    );
  }
  return step("done", `the claim is bound to volume ${volume}`, [phaseOf(claim, observed)]);
}

/** The volume was deleted while it is bound: it is kept as long as the claim is. */
function deletedVolumeStep({ volume: lookup }: ObservedClaim): readonly Step[] {
  const volume = foundIn(lookup);
  const { name, deletionTimestamp: since } = volume?.metadata ?? {};
  if (!since) return [];
  return [
    step(
      "waiting",
      `volume ${name} is being deleted, and is removed together with the claim`,
      [{ object: `PersistentVolume ${name}`, field: "metadata.deletionTimestamp", value: since, since }],
      `keep the claim, and back up the data; ${deletedVolumeRemedy(volume)}`,
    ),
  ];
}

function lostStep(claim: V1PersistentVolumeClaim): Step {
  const { namespace, name } = claim.metadata ?? {};
  return step(
    "failed",
    `the claim has lost its volume ${claim.spec?.volumeName ?? ""}: the PersistentVolume object was deleted, or belongs to another claim`,
    [{ object: `PersistentVolumeClaim ${namespace}/${name}`, field: "status.phase", value: "Lost" }],
    "restore the PersistentVolume object with a claimRef to this claim, or delete the claim and create a new one",
  );
}

/** From the class to the bound volume. The steps after the first that is not done cannot be judged yet. */
function pendingSteps(claim: V1PersistentVolumeClaim, observed: ObservedClaim): readonly Step[] {
  const steps: Step[] = [];
  const isDone = (more: readonly Step[]) => {
    steps.push(...more);
    return more.every(({ state }) => state === "done");
  };
  const rest = (...names: readonly string[]) => [...steps, ...names.map((what) => step("not yet", what))];
  const [created, bound] = ["the volume is created", "the claim is bound to the volume"];
  const pinned = claim.spec?.volumeName ? namedVolumeStep(claim, observed) : undefined;
  if (pinned)
    return isDone([pinned])
      ? [...steps, step("waiting", "the claim and the volume are not bound yet", [phaseOf(claim, observed)])]
      : rest(bound);
  const byClass = classStep(claim, observed);
  const storageClass = foundIn(observed.storageClass);
  const unknownClass = observed.storageClass !== undefined && observed.storageClass.state === "unreadable";
  if (!isDone([byClass])) return rest(created, bound);
  const isStatic = !unknownClass && (storageClassName(claim) === "" || storageClass?.provisioner === noProvisioner);
  const source = sourceStep(claim, observed);
  if (source && !isDone([source])) return rest(created, bound);
  const late = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  if (late && !isDone([consumerStep(claim, observed, isStatic)])) return rest(isStatic ? "a volume is found" : created, bound);
  if (observed.source?.kind === "other") return [...steps, populationStep(observed, observed.source), step("not yet", bound)];
  if (!isDone(isStatic ? [staticVolumeStep(claim, observed)] : provisioningSteps(claim, observed))) return rest(bound);
  return [...steps, step("waiting", "the claim is not bound yet", [phaseOf(claim, observed)])];
}
