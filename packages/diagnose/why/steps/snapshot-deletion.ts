import { keyOf, provisionerFinalizer, refKey } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { listed } from "../../text.ts";
import { eventEvidence } from "../events.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedSnapshot } from "../gather/observed.ts";
import { lastEvent } from "../operation-events.ts";
import type { Content, Snapshot } from "../snapshot-kinds.ts";
import { contentDeletionSteps } from "./content-deletion.ts";
import { controllerSteps } from "./snapshot-binding.ts";
import { isMarked } from "./snapshot-taking.ts";

/** What keeps a snapshot that is being deleted. */
export function snapshotDeletionSteps(snapshot: Snapshot, observed: ObservedSnapshot): readonly Step[] {
  const { kind, ref } = observed;
  const { finalizers = [], deletionTimestamp: since = "" } = snapshot.metadata;
  const object = `${kind.snapshots.kind} ${refKey(ref)}`;
  const evidence: Evidence = { object, field: "metadata.finalizers", value: finalizers.join(", ") || "none", since };
  const foreign = foreignSteps(finalizers, kind.finalizers, evidence);
  if (!finalizers.some((each) => kind.finalizers.includes(each)))
    return foreign.length > 0 ? foreign : [step("waiting", `the ${kind.called} is being deleted`, [evidence])];
  const lookup = observed.content?.content;
  const found = foundIn(lookup);
  const content = found && isBoundTo(found, snapshot) ? found : undefined;
  const kept =
    restoringStep(observed, evidence, content !== undefined || lookup?.state === "unreadable") ?? groupStep(snapshot, observed, evidence);
  if (kept) return [kept, ...foreign];
  const controller = controllerSteps(observed, kind.operations.unbind);
  // The controller tells the sidecar that the snapshot is deleted: before that, the content waits for the controller, whoever deleted it.
  const isReleased = content?.metadata.deletionTimestamp !== undefined && isMarked(content, kind.annotation.beingDeleted);
  if (content?.policy === "Delete" && isReleased && observed.content) {
    return [
      step("done", `its content ${content.metadata.name} is being deleted first`, [evidence]),
      ...contentDeletionSteps(content, observed.content),
      ...foreign,
    ];
  }
  return [...controller, releaseStep(observed, evidence, content), ...foreign];
}

function isBoundTo({ ref }: Content, { metadata }: Snapshot): boolean {
  return ref.name === metadata.name && ref.namespace === metadata.namespace && ref.uid === metadata.uid;
}

function restoringStep({ kind, restoring }: ObservedSnapshot, evidence: Evidence, hasContent: boolean): Step | undefined {
  const claims = foundIn(restoring) ?? [];
  const [first] = claims;
  if (!first || !hasContent) return undefined;
  return step(
    "waiting",
    `the ${kind.called} is being deleted, and is kept as long as it is being restored: claim ${listed(claims.map((claim) => keyOf(claim)))}`,
    [evidence, { object: `PersistentVolumeClaim ${keyOf(first)}`, field: "status.phase", value: first.status?.phase ?? "Pending" }],
    `wait until those claims are bound (csi-sidecars why pvc ${keyOf(first)}), or delete them`,
  );
}

/** The snapshots of a group go with it. */
function groupStep({ groupName, metadata }: Snapshot, { group }: ObservedSnapshot, evidence: Evidence): Step | undefined {
  const found = foundIn(group);
  if (!found || groupName === undefined) return undefined;
  const name = `${metadata.namespace}/${groupName}`;
  return found.metadata.deletionTimestamp === undefined
    ? step(
        "failed",
        `the snapshot is being deleted, and belongs to group snapshot ${name}: it is deleted together with that only`,
        [evidence],
        `to delete all snapshots of the group: kubectl -n ${metadata.namespace} delete volumegroupsnapshot ${groupName}`,
      )
    : step(
        "waiting",
        `the snapshot goes with its group snapshot ${name}, which is being deleted`,
        [evidence],
        `see csi-sidecars why vgs ${name}`,
      );
}

function releaseStep(
  { kind, events, responsibleFor, content: observed }: ObservedSnapshot,
  evidence: Evidence,
  content: Content | undefined,
): Step {
  const last = lastEvent(kind.operations.unbind, events, responsibleFor);
  const checkLog = "it should be gone in seconds; if not, check the log of the snapshot-controller";
  if (last)
    return step("waiting", `${last.declared.meaning}: ${last.event.message ?? ""}`, [evidence, eventEvidence(last.event)], checkLog);
  if (observed?.content.state === "unreadable")
    return step(
      "waiting",
      `the ${kind.called} is being deleted, and is kept until its content is gone`,
      [evidence],
      "if it stays so, ask somebody who may read contents to run this command",
    );
  if (content?.policy === "Retain")
    return step(
      "waiting",
      `the ${kind.called} is being deleted, and its content ${content.metadata.name} is kept: its policy is Retain`,
      [evidence],
      checkLog,
    );
  return step(
    "waiting",
    content
      ? `the ${kind.called} is being deleted, and its content ${content.metadata.name} has yet to be`
      : `the ${kind.called} is being deleted, and has no content any more`,
    [evidence],
    checkLog,
  );
}

/** Finalizers that the snapshot-controller does not remove. */
function foreignSteps(finalizers: readonly string[], own: readonly string[], evidence: Evidence): readonly Step[] {
  const others = finalizers.filter((each) => !own.includes(each));
  if (others.includes(provisionerFinalizer.snapshotSource)) {
    return [
      step(
        "waiting",
        "the snapshot is being deleted, and the provisioner keeps it as long as it restores a volume from it",
        [evidence],
        "see csi-sidecars why pvc for the claims that are restored from it; if there is none, check that the driver's provisioner runs: it removes the finalizer",
      ),
    ];
  }
  return others.length > 0
    ? [step("waiting", `it is being deleted, and is kept by ${listed(others)}`, [evidence], "check the controller that set this finalizer")]
    : [];
}
