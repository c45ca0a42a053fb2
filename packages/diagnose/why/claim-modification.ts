import { refKey, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { actorSteps } from "./actor-step.ts";
import { conditionEvidence } from "./claim-expansion.ts";
import { eventEvidence, lastSeen, newest } from "./events.ts";
import { type Evidence, type Step, step } from "./explanation.ts";
import type { ClaimFacts } from "./facts.ts";
import { translate } from "./grpc-words.ts";

/** The steps of a volume that is to get another VolumeAttributesClass; none where it has the one that was asked for. */
export function modificationSteps(claim: V1PersistentVolumeClaim, facts: ClaimFacts): readonly Step[] {
  const wanted = claim.spec?.volumeAttributesClassName ?? "";
  const current = claim.status?.currentVolumeAttributesClassName ?? "";
  const progress = claim.status?.modifyVolumeStatus;
  if (wanted === "" ? progress?.status !== "InProgress" : wanted === current && !progress) return [];
  const target = progress?.targetVolumeAttributesClassName || wanted;
  const evidence: Evidence = {
    object: `PersistentVolumeClaim ${refKey(facts.ref)}`,
    field: "status.modifyVolumeStatus.status",
    value: progress?.status ?? "not set",
  };
  if (facts.attributesClass?.state === "missing") {
    return [
      step(
        "failed",
        `the claim names VolumeAttributesClass ${wanted}, which does not exist`,
        [evidence],
        `create it, or name one that exists in spec.volumeAttributesClassName`,
      ),
    ];
  }
  const last = newest(facts.events, "VolumeModifyFailed", "VolumeModify", "VolumeModifySuccessful");
  const failing = claim.status?.conditions?.find(({ type, status }) => type === "ModifyVolumeError" && status === "True");
  const text =
    last?.reason === "VolumeModifyFailed" ? last.message : failing && `rpc error: code = ${failing.reason} desc = ${failing.message}`;
  if (text || progress?.status === "Infeasible") {
    const { code, meaning, remedy } = translate("modify", text || "the storage said no for good");
    const proof =
      last?.reason === "VolumeModifyFailed" ? [eventEvidence(last)] : failing ? [conditionEvidence(claim, "ModifyVolumeError")] : [];
    return [
      step("failed", `the volume could not be changed to ${target}: ${meaning}${code ? ` (${code})` : ""}`, [...proof, evidence], remedy),
    ];
  }
  const actors = actorSteps(facts.actor, {
    ...{ sidecar: "resizer", now: facts.now, capability: "MODIFY_VOLUME" },
    ...(last && { lastWord: lastSeen(last) }),
  });
  if (actors.some(({ state }) => state !== "done")) return [...actors, step("not yet", `the volume is changed to ${target}`)];
  const what = progress?.status === "InProgress" ? "the driver is changing the volume" : "no resizer has taken up the change of the volume";
  return [
    ...actors,
    step("waiting", `${what} to ${target}`, [evidence], "if it lasts, look whether the driver's controller runs with the resizer"),
  ];
}
