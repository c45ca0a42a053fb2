import { refKey, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { eventEvidence } from "../events.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { historyOf, meaningOf, reportedAt } from "../operation-events.ts";
import { explainError } from "../words/driver-errors.ts";
import { nextAttempt } from "../words/next-attempt.ts";
import { attemptSteps } from "./attempt.ts";
import { conditionEvidence, conditionOf } from "./claim-conditions.ts";
import { readinessSteps } from "./readiness.ts";
import { unlessUnread } from "./unread-events.ts";

/** The VolumeAttributesClass that a claim names, and the one that its volume is modified to at present: the user may have changed his mind. */
export function modificationOf({
  spec,
  status,
}: V1PersistentVolumeClaim): { readonly requested: string; readonly target: string } | undefined {
  const requested = spec?.volumeAttributesClassName ?? "";
  const progress = status?.modifyVolumeStatus;
  const isInProgress = progress?.status === "InProgress";
  if (requested === "" ? !isInProgress : requested === (status?.currentVolumeAttributesClassName ?? "") && !progress) return undefined;
  return { requested, target: (isInProgress && progress.targetVolumeAttributesClassName) || requested };
}

/** The steps of a volume that has to get another VolumeAttributesClass; none where it has the requested one. */
export function modificationSteps(claim: V1PersistentVolumeClaim, observed: ObservedClaim): readonly Step[] {
  const modification = modificationOf(claim);
  if (!modification) return [];
  const { requested, target } = modification;
  const next =
    requested === "" || requested === target ? [] : [step("not yet", `the volume is modified to VolumeAttributesClass ${requested}`)];
  const problem = classProblem(modification, observed);
  return [...(problem ? [{ ...problem, evidence: [progressOf(claim, observed)] }] : targetSteps(claim, observed, target)), ...next];
}

/** What is wrong with the class that is to be applied. */
function classProblem(
  { requested, target }: { readonly requested: string; readonly target: string },
  { attributesClass, volume }: ObservedClaim,
): Step | undefined {
  if (attributesClass?.state === "missing") {
    return requested === target
      ? step(
          "failed",
          `the claim names VolumeAttributesClass ${target}, which does not exist`,
          [],
          "create it, or name an existing one in spec.volumeAttributesClassName",
        )
      : step(
          "failed",
          `the driver may still be modifying the volume to VolumeAttributesClass ${target}, which does not exist any more`,
          [],
          "create it again: another class can only be applied when the driver has answered for this one",
        );
  }
  const owner = foundIn(attributesClass)?.driverName;
  const driver = foundIn(volume)?.spec?.csi?.driver;
  if (owner === undefined || driver === undefined || owner === driver) return undefined;
  return step(
    "failed",
    `VolumeAttributesClass ${target} is one of driver ${owner}, the volume is one of driver ${driver}`,
    [],
    "name a VolumeAttributesClass of the volume's own driver",
  );
}

function targetSteps(claim: V1PersistentVolumeClaim, observed: ObservedClaim, className: string): readonly Step[] {
  const { events, responsibleFor } = observed;
  const target = `VolumeAttributesClass ${className}`;
  const status = claim.status?.modifyVolumeStatus?.status;
  const evidence = progressOf(claim, observed);
  const history = historyOf("modify", events, responsibleFor);
  const failed = history.last?.declared.progress === "failed" ? history.last.event : undefined;
  const failing = conditionOf(claim, "ModifyVolumeError");
  const text = failed ? failed.message : failing && `rpc error: code = ${failing.reason} desc = ${failing.message}`;
  if (text || status === "Infeasible") {
    const { cause, remedy } = explainError("modify", text || "the storage cannot apply these parameters", responsibleFor);
    const proof = failed ? [eventEvidence(failed)] : failing ? [conditionEvidence(claim, "ModifyVolumeError")] : [];
    const retry = status === "Infeasible" ? `; ${nextAttempt(claim, { event: failed, condition: "ModifyVolumeError" }, observed)}` : "";
    return [
      step("failed", `${meaningOf("modify", "failed", responsibleFor)} to ${target}: ${cause}`, [...proof, evidence], `${remedy}${retry}`),
      ...attemptSteps(history),
    ];
  }
  const readiness = readinessSteps(observed, "modify", reportedAt(history.last));
  if (readiness.some(({ state }) => state !== "done")) return [...readiness, step("not yet", `the volume is modified to ${target}`)];
  const name = responsibleFor("modify")?.sidecar.name;
  const what = status === "InProgress" ? meaningOf("modify", "started", responsibleFor) : `no ${name} has started to modify the volume`;
  return [
    ...readiness,
    unlessUnread(
      observed,
      `the ${name}`,
      evidence.object,
      step("waiting", `${what} to ${target}`, [evidence], `if it stays so, check that the driver's controller runs with the ${name}`),
    ),
  ];
}

function progressOf({ status }: V1PersistentVolumeClaim, { ref }: ObservedClaim): Evidence {
  return {
    object: `PersistentVolumeClaim ${refKey(ref)}`,
    field: "status.modifyVolumeStatus.status",
    value: status?.modifyVolumeStatus?.status ?? "not set",
  };
}
