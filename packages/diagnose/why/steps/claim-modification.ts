import { refKey, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { eventEvidence } from "../events.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { lastEvent, meaningOf, reportedAt } from "../operation-events.ts";
import { explainError } from "../words/driver-errors.ts";
import { conditionEvidence } from "./claim-expansion.ts";
import { readinessSteps } from "./readiness.ts";

/** The steps of a volume that has to get another VolumeAttributesClass; none where it has the requested one. */
export function modificationSteps(claim: V1PersistentVolumeClaim, observed: ObservedClaim): readonly Step[] {
  const requested = claim.spec?.volumeAttributesClassName ?? "";
  const current = claim.status?.currentVolumeAttributesClassName ?? "";
  const progress = claim.status?.modifyVolumeStatus;
  if (requested === "" ? progress?.status !== "InProgress" : requested === current && !progress) return [];
  const target = `VolumeAttributesClass ${progress?.targetVolumeAttributesClassName || requested}`;
  const evidence: Evidence = {
    object: `PersistentVolumeClaim ${refKey(observed.ref)}`,
    field: "status.modifyVolumeStatus.status",
    value: progress?.status ?? "not set",
  };
  if (observed.attributesClass?.state === "missing") {
    return [
      step(
        "failed",
        `the claim names VolumeAttributesClass ${requested}, which does not exist`,
        [evidence],
        "create it, or name an existing one in spec.volumeAttributesClassName",
      ),
    ];
  }
  const { responsibleFor } = observed;
  const last = lastEvent("modify", observed.events, responsibleFor);
  const failed = last?.declared.progress === "failed" ? last.event : undefined;
  const failing = claim.status?.conditions?.find(({ type, status }) => type === "ModifyVolumeError" && status === "True");
  const text = failed ? failed.message : failing && `rpc error: code = ${failing.reason} desc = ${failing.message}`;
  if (text || progress?.status === "Infeasible") {
    const { cause, remedy } = explainError("modify", text || "the storage cannot apply these parameters", responsibleFor);
    const proof = failed ? [eventEvidence(failed)] : failing ? [conditionEvidence(claim, "ModifyVolumeError")] : [];
    return [step("failed", `${meaningOf("modify", "failed", responsibleFor)} to ${target}: ${cause}`, [...proof, evidence], remedy)];
  }
  const readiness = readinessSteps(observed, "modify", reportedAt(last));
  if (readiness.some(({ state }) => state !== "done")) return [...readiness, step("not yet", `the volume is modified to ${target}`)];
  const name = responsibleFor("modify")?.sidecar.name;
  const what =
    progress?.status === "InProgress" ? meaningOf("modify", "started", responsibleFor) : `no ${name} has started to modify the volume`;
  return [
    ...readiness,
    step("waiting", `${what} to ${target}`, [evidence], `if it stays so, check that the driver's controller runs with the ${name}`),
  ];
}
