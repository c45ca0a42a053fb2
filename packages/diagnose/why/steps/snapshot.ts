import { refKey } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { type Evidence, type Explanation, explanation, notFound, notServed, type Step, step } from "../explanation.ts";
import type { ObservedSnapshot } from "../gather/observed.ts";
import type { Content, Snapshot } from "../snapshot-kinds.ts";
import { bindingProblem, controllerSteps, problemStep } from "./snapshot-binding.ts";
import { snapshotDeletionSteps } from "./snapshot-deletion.ts";
import { sourceSteps } from "./snapshot-source.ts";
import { takingSteps } from "./snapshot-taking.ts";

/** Why a snapshot or group snapshot is not ready to use, or not deleted. */
export function explainSnapshot(observed: ObservedSnapshot): Explanation {
  const { kind, ref, notes } = observed;
  const subject = `${kind.snapshots.kind} ${refKey(ref)}`;
  const snapshot = foundIn(observed.snapshot);
  if (!snapshot) {
    const { plural, group, version } = kind.snapshots;
    return observed.isServed === false
      ? notServed(subject, `${plural}.${group}/${version}`, notes)
      : notFound(subject, observed.snapshot, notes);
  }
  return explanation(subject, stepsOf(snapshot, observed), notes, `nothing is waiting: the ${kind.called} is ready to use`);
}

function stepsOf(snapshot: Snapshot, observed: ObservedSnapshot): readonly Step[] {
  if (snapshot.metadata.deletionTimestamp !== undefined) return snapshotDeletionSteps(snapshot, observed);
  const { kind } = observed;
  const lookup = observed.content?.content;
  const content = foundIn(lookup);
  if (content) return boundSteps(snapshot, content, observed);
  if (lookup?.state === "unreadable") return unreadableSteps(snapshot, observed);
  if (snapshot.readyToUse || snapshot.contentName !== undefined || snapshot.creationTime !== undefined)
    return [contentMissing(snapshot, observed)];
  if (snapshot.groupName !== undefined) return [...controllerSteps(observed, kind.operations.bind), groupStep(snapshot)];
  return contentToBeCreated(snapshot, observed);
}

/** A snapshot that the driver is to take, and whose content does not exist yet. The steps after the first that is not done cannot be judged. */
function contentToBeCreated(snapshot: Snapshot, observed: ObservedSnapshot): readonly Step[] {
  const { kind } = observed;
  const rest = [step("not yet", `the driver has taken the ${kind.called}`)];
  const sources = sourceSteps(snapshot, observed);
  if (sources.some(({ state }) => state !== "done")) return [...sources, ...rest];
  const controller = controllerSteps(observed, kind.operations.bind);
  if (controller.some(({ state }) => state !== "done"))
    return [...sources, ...controller, step("not yet", "its content is created"), ...rest];
  const created = snapshot.metadata.creationTimestamp;
  const waiting = step(
    "waiting",
    "the snapshot-controller has not created its content yet",
    [{ object: `${kind.snapshots.kind} ${refKey(observed.ref)}`, field: "status", value: "not set", ...(created && { since: created }) }],
    "if it takes longer than a minute, check the log of the snapshot-controller",
  );
  return [...sources, ...controller, problemStep(observed, snapshot) ?? waiting, ...rest];
}

/** A snapshot whose content exists. */
function boundSteps(snapshot: Snapshot, content: Content, observed: ObservedSnapshot): readonly Step[] {
  const { kind } = observed;
  const problem = bindingProblem(kind, snapshot, content);
  if (problem) return [problem];
  const controller = controllerSteps(observed, kind.operations.bind);
  if (content.ref.uid === undefined || content.ref.uid === "") {
    return [
      ...controller,
      problemStep(observed, snapshot) ??
        step(
          "waiting",
          `content ${content.metadata.name} is not bound yet`,
          [],
          "if it takes longer than a minute, check the log of the snapshot-controller",
        ),
    ];
  }
  const bound = step("done", `the ${kind.called} has content ${content.metadata.name}`, [
    { object: `${kind.snapshots.kind} ${refKey(observed.ref)}`, field: "status", value: content.metadata.name ?? "" },
  ]);
  const taking = observed.content ? takingSteps(content, observed.content) : [];
  if (snapshot.readyToUse || !content.readyToUse) return [bound, ...taking];
  const untold =
    problemStep(observed, snapshot) ??
    step(
      "waiting",
      `the ${kind.called} is ready, and its status does not say so yet`,
      [],
      "if it stays so, check the log of the snapshot-controller",
    );
  return [bound, ...taking, ...controller, untold];
}

/** Users of a namespace may not read contents: what the status of the snapshot says has to do. */
function unreadableSteps(snapshot: Snapshot, observed: ObservedSnapshot): readonly Step[] {
  const { kind, ref } = observed;
  if (snapshot.readyToUse) return [step("done", `the ${kind.called} is ready to use`)];
  const since = snapshot.creationTime ?? snapshot.metadata.creationTimestamp;
  const evidence: Evidence = {
    object: `${kind.snapshots.kind} ${refKey(ref)}`,
    field: "status.readyToUse",
    value: "false",
    ...(since && { since }),
  };
  const remedy = "if it stays so, ask somebody who may read contents and leases to run this command";
  const waiting = step("waiting", progressOf(snapshot, kind.called), [evidence], remedy);
  return [...controllerSteps(observed, kind.operations.bind), problemStep(observed, snapshot) ?? waiting];
}

/** How far a snapshot is by its own status. */
function progressOf({ creationTime, boundTo }: Snapshot, called: string): string {
  if (creationTime !== undefined) return `the driver has taken the ${called}, and it is not ready to use yet`;
  return boundTo ? `the driver has not taken the ${called} yet` : `the ${called} has no content yet`;
}

function contentMissing({ contentName, boundTo }: Snapshot, { kind, content }: ObservedSnapshot): Step {
  const name = content?.ref.name ?? "";
  const isToBeCreated = contentName !== undefined && !boundTo;
  return step(
    isToBeCreated ? "waiting" : "failed",
    `its content ${name} does not exist${isToBeCreated ? "" : " any more"}`,
    [{ object: `${kind.contents.kind} ${name}`, field: "metadata.name", value: "not found" }],
    isToBeCreated
      ? `create that ${kind.contents.kind}, with the handle of the ${kind.called} and a ${kind.fields.ref} to this object; or delete this object`
      : `the ${kind.called} in the storage may still exist (csi-sidecars audit): create the content again with its handle, or delete this object`,
  );
}

function groupStep({ groupName, metadata }: Snapshot): Step {
  const group = `${metadata.namespace}/${groupName}`;
  return step(
    "waiting",
    `the snapshot belongs to group snapshot ${group}, whose content has yet to be written for it`,
    [],
    `see csi-sidecars why vgs ${group}`,
  );
}
