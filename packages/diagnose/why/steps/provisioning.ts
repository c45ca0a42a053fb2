import { refKey, type V1PersistentVolumeClaim, wellKnownAnnotation } from "@csi-sidecars/kube";
import { plain } from "../../text.ts";
import { eventEvidence, isFromSidecar } from "../events.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { historyOf, type OperationEvent, type OperationHistory, reportedAt } from "../operation-events.ts";
import { explainError } from "../words/driver-errors.ts";
import { attemptSteps } from "./attempt.ts";
import { readinessSteps } from "./readiness.ts";
import { unlessUnread } from "./unread-events.ts";

/** Who has to create the volume, whether it runs, and what the driver answered. */
export function provisioningSteps(claim: V1PersistentVolumeClaim, observed: ObservedClaim): readonly Step[] {
  const object = `PersistentVolumeClaim ${refKey(observed.ref)}`;
  const annotations = claim.metadata?.annotations ?? {};
  const provisioner = annotations[wellKnownAnnotation.provisioner] ?? annotations[wellKnownAnnotation.betaProvisioner];
  if (provisioner === undefined) {
    return [
      step(
        "waiting",
        "no provisioner has been asked for the volume yet",
        [{ object, field: `metadata.annotations[${wellKnownAnnotation.provisioner}]`, value: "not set", ...since(claim) }],
        "if it takes longer than a minute, check that kube-controller-manager runs",
      ),
    ];
  }
  const requested: Evidence = { object, field: `metadata.annotations[${wellKnownAnnotation.provisioner}]`, value: provisioner };
  const history = provisioningHistory(observed);
  const readiness = readinessSteps(observed, "create", reportedAt(history.last));
  const isServed = readiness.every(({ state }) => state === "done");
  return [
    step("done", `the volume is requested from provisioner ${provisioner}`, [requested]),
    ...readiness,
    ...reportedSteps(history, observed),
    ...(history.last ? [] : [isServed ? unreportedStep(provisioner, claim, observed, object) : step("not yet", "the volume is created")]),
  ];
}

/** What the provisioner has said about the claim; the binder emits events with the same reasons. */
export function provisioningHistory({ events, responsibleFor }: ObservedClaim): OperationHistory {
  return historyOf("create", events.filter(isFromSidecar), responsibleFor);
}

function reportedSteps(history: OperationHistory, observed: ObservedClaim): readonly Step[] {
  const told = history.failure ?? history.last;
  return told ? [reportedStep(told, observed), ...attemptSteps(history)] : [];
}

function reportedStep({ event, declared }: OperationEvent, { responsibleFor }: ObservedClaim): Step {
  const evidence = [eventEvidence(event)];
  switch (declared.progress) {
    case "started":
      return step("waiting", declared.meaning, evidence, declared.remedy);
    case "succeeded":
      return step("done", declared.meaning, evidence);
    case "failed": {
      const text = event.message ?? "";
      const { cause, remedy } = explainError("create", text, responsibleFor);
      const isInfeasible = responsibleFor("create")?.report.infeasible?.isIn(text);
      const delayed = isInfeasible ? "; retries are delayed, by up to --retry-interval-max" : "";
      return step("failed", plain(`${declared.meaning}: ${cause}`), evidence, `${remedy}${delayed}`);
    }
  }
}

function unreportedStep(provisioner: string, claim: V1PersistentVolumeClaim, observed: ObservedClaim, object: string): Step {
  const unreported = step(
    "waiting",
    `${provisioner} has not reported anything about the claim`,
    [{ object, field: "events", value: "none", ...since(claim) }],
    "check that the driver's containers run (--csi-address asks the driver), and the log of its provisioner; events expire after an hour",
  );
  return unlessUnread(observed, `provisioner ${provisioner}`, object, unreported);
}

function since({ metadata }: V1PersistentVolumeClaim): { readonly since?: string } {
  return metadata?.creationTimestamp ? { since: metadata.creationTimestamp } : {};
}
