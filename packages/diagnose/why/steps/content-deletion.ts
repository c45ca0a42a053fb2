import { eventEvidence } from "../events.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedContent } from "../gather/observed.ts";
import { lastEvent, reportedAt } from "../operation-events.ts";
import type { Content } from "../snapshot-kinds.ts";
import { explainError } from "../words/driver-errors.ts";
import { readinessSteps } from "./readiness.ts";
import { isMarked, markEvidence, takingSteps } from "./snapshot-taking.ts";
import { unlessUnread } from "./unread-events.ts";

/** What keeps a content that is being deleted. */
export function contentDeletionSteps(content: Content, observed: ObservedContent): readonly Step[] {
  const { kind, snapshot } = observed;
  const { finalizers = [], deletionTimestamp: since = "", name } = content.metadata;
  const object = `${kind.contents.kind} ${name}`;
  const evidence: Evidence = { object, field: "metadata.finalizers", value: finalizers.join(", ") || "none", since };
  const foreign = finalizers.filter((each) => each !== kind.contentFinalizer);
  const others =
    foreign.length > 0
      ? [
          step(
            "waiting",
            `the content is being deleted, and is kept by ${foreign.join(", ")}`,
            [evidence],
            "check the controller that set this finalizer",
          ),
        ]
      : [];
  if (!finalizers.includes(kind.contentFinalizer))
    return others.length > 0 ? others : [step("waiting", "the content is being deleted", [evidence])];
  const isFree = content.isPreProvisioned && !content.ref.uid;
  if (!isFree && !isMarked(content, kind.annotation.beingDeleted))
    return [ownedStep(content, observed, snapshot?.state === "missing", evidence), ...others];
  if (isMarked(content, kind.annotation.beingCreated) && content.handle === undefined && !content.isPreProvisioned) {
    return [
      ...takingSteps(content, observed).filter(({ state }) => state !== "not yet"),
      step(
        "waiting",
        `the ${kind.called} may have been taken, and nobody knows its handle: the driver is asked again until that is known, and then deletes it`,
        [markEvidence(content, object, kind.annotation.beingCreated)],
        "make sure that the driver and its csi-snapshotter run; removing the annotation or the finalizer by hand may leak a snapshot",
      ),
      ...others,
    ];
  }
  if (content.policy !== "Delete" || content.isMember) return [...releaseSteps(observed, evidence), ...others];
  return [...removalSteps(observed, evidence), ...others];
}

/** A content that somebody deleted, but not its snapshot. */
function ownedStep({ ref }: Content, { kind }: ObservedContent, isOrphan: boolean, evidence: Evidence): Step {
  const owner = `${ref.namespace}/${ref.name}`;
  if (!isOrphan) {
    return step(
      "failed",
      `the content is being deleted, and is kept as long as ${kind.called} ${owner} exists`,
      [evidence],
      `delete the ${kind.called}: kubectl -n ${ref.namespace} delete ${kind.snapshots.plural} ${ref.name}`,
    );
  }
  return step(
    "failed",
    `the content is being deleted, its ${kind.called} ${owner} does not exist, and nobody told the sidecar so`,
    [evidence],
    `to let the sidecar go on as the content's policy says: annotate it with ${kind.annotation.beingDeleted}=yes`,
  );
}

function releaseSteps(observed: ObservedContent, evidence: Evidence): readonly Step[] {
  const readiness = readinessSteps(observed, observed.kind.operations.remove);
  const what = "nothing of it is to be deleted in the storage, and the sidecar has yet to let the content go";
  return [...readiness, step("waiting", what, [evidence], "if it stays so, check the log of the driver's csi-snapshotter")];
}

function removalSteps(observed: ObservedContent, evidence: Evidence): readonly Step[] {
  const { kind, events, responsibleFor } = observed;
  const { remove } = kind.operations;
  const last = lastEvent(remove, events, responsibleFor);
  const readiness = readinessSteps(observed, remove, reportedAt(last));
  if (last) {
    const { cause, remedy } = explainError(remove, last.event.message ?? "", responsibleFor);
    return [...readiness, step("failed", `${last.declared.meaning}: ${cause}`, [evidence, eventEvidence(last.event)], remedy)];
  }
  if (readiness.some(({ state }) => state !== "done"))
    return [...readiness, step("not yet", `the ${kind.called} is deleted in the storage`)];
  const deleting = step(
    "waiting",
    `the driver is deleting the ${kind.called}, or the next attempt is due soon`,
    [evidence],
    "if it stays so, check the logs of the driver and of its csi-snapshotter; do not remove the finalizer by hand, that leaks the snapshot in the storage",
  );
  return [...readiness, unlessUnread(observed, "the csi-snapshotter", evidence.object, deleting)];
}
