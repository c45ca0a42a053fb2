import { ownValue } from "@csi-sidecars/base";
import { managedByLabel } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { plain } from "../../text.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedContent } from "../gather/observed.ts";
import { lastEvent, meaningOf, reportedAt } from "../operation-events.ts";
import type { Content } from "../snapshot-kinds.ts";
import { explainError } from "../words/driver-errors.ts";
import { readinessSteps } from "./readiness.ts";

/** How far the driver and its sidecar are with the snapshot of a content. */
export function takingSteps(content: Content, observed: ObservedContent): readonly Step[] {
  const { kind, events, responsibleFor } = observed;
  if (content.readyToUse) return [step("done", `the driver has taken the ${kind.called}, and it is ready`)];
  const foreign = foreignClass(content, observed);
  if (foreign) return [foreign];
  const { take } = kind.operations;
  const readiness = readinessSteps(observed, take, reportedAt(lastEvent(take, events, responsibleFor)));
  const node = content.metadata.labels?.[managedByLabel];
  const served = node === undefined ? [] : [step("done", `the content is to be served by the sidecar on node ${node}`)];
  const failure = failureStep(content, observed);
  if (failure) return [...served, ...readiness, failure];
  const isServed = readiness.every(({ state }) => state === "done");
  const taken = `the driver has taken the ${kind.called}`;
  if (!isServed)
    return [
      ...served,
      ...readiness,
      content.handle === undefined ? step("not yet", taken) : step("not yet", `the ${kind.called} is ready`),
    ];
  return [...served, ...readiness, progressStep(content, observed)];
}

/** No sidecar works on a content whose class is one of another driver, unless it is deleted. */
function foreignClass({ driver, className, metadata }: Content, { kind, contentClass }: ObservedContent): Step | undefined {
  const named = foundIn(contentClass)?.driver;
  if (named === undefined || named === driver || metadata.deletionTimestamp !== undefined) return undefined;
  return step(
    "failed",
    `the content is one of driver ${driver}, and its class ${className} is one of driver ${named}: no sidecar works on it`,
    [{ object: `${kind.contents.kind} ${metadata.name}`, field: kind.fields.className, value: className ?? "" }],
    `create the content again with a class of driver ${driver}, or without one`,
  );
}

/** What the sidecar last wrote into the content, if it failed. */
function failureStep(content: Content, { kind, events, responsibleFor }: ObservedContent): Step | undefined {
  const { error, metadata } = content;
  if (!error) return undefined;
  const { take } = kind.operations;
  const text = error.message ?? "";
  const { cause, remedy } = explainError(take, text, responsibleFor);
  const last = lastEvent(take, events, responsibleFor);
  const meaning = last?.event.message === text ? last.declared.meaning : meaningOf(take, "failed", responsibleFor);
  const object = `${kind.contents.kind} ${metadata.name}`;
  const evidence: Evidence = { object, field: "status.error", value: plain(text), ...(error.time && { since: error.time }) };
  const mark = isMarked(content, kind.annotation.beingCreated) ? [markEvidence(content, object, kind.annotation.beingCreated)] : [];
  return step("failed", plain(`${meaning}: ${cause}`), [evidence, ...mark], remedy);
}

function progressStep(content: Content, { kind }: ObservedContent): Step {
  const { metadata, handle, isPreProvisioned, isMember } = content;
  const object = `${kind.contents.kind} ${metadata.name}`;
  const since = metadata.creationTimestamp && { since: metadata.creationTimestamp };
  const checkLogs = "if it stays so, check the logs of the driver and of its csi-snapshotter";
  if (handle !== undefined) {
    const evidence: Evidence = { object, field: "status.readyToUse", value: "false", ...since };
    return step(
      "waiting",
      `the driver has taken the ${kind.called}, and it is not ready to use yet`,
      [evidence],
      "large snapshots are uploaded for a long time; the driver is asked again at least every 30 seconds. If it stays so, check the driver's log",
    );
  }
  if (isMember) {
    const evidence: Evidence = { object, field: "status.snapshotHandle", value: "not set", ...since };
    return step(
      "waiting",
      "the snapshot was taken with a group, and the snapshot-controller has yet to write its handle",
      [evidence],
      "if it stays so, check the log of the snapshot-controller",
    );
  }
  if (isMarked(content, kind.annotation.beingCreated)) {
    return step(
      "waiting",
      `the driver is taking the ${kind.called}`,
      [markEvidence(content, object, kind.annotation.beingCreated)],
      checkLogs,
    );
  }
  const evidence: Evidence = { object, field: "status", value: "not set", ...since };
  const what = isPreProvisioned
    ? `the driver has not been asked for the ${kind.called} that the content names yet`
    : `the driver has not been asked to take the ${kind.called} yet`;
  return step("waiting", what, [evidence], checkLogs);
}

/** Whether the content says that the driver may be taking its snapshot. */
export function isMarked({ metadata }: Content, annotation: string): boolean {
  return ownValue(metadata.annotations ?? {}, annotation) !== undefined;
}

export function markEvidence({ metadata }: Content, object: string, annotation: string): Evidence {
  const value = ownValue(metadata.annotations ?? {}, annotation) ?? "";
  return {
    object,
    field: `metadata.annotations[${annotation}]`,
    value,
    ...(metadata.creationTimestamp && { since: metadata.creationTimestamp }),
  };
}
