import { refKey } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { type Explanation, explanation, notFound, notServed, type Step, step } from "../explanation.ts";
import type { ObservedContent } from "../gather/observed.ts";
import type { Content } from "../snapshot-kinds.ts";
import { contentDeletionSteps } from "./content-deletion.ts";
import { bindingProblem, controllerSteps } from "./snapshot-binding.ts";
import { isMarked, takingSteps } from "./snapshot-taking.ts";

/** Why the content of a snapshot or group snapshot is not ready, not bound, or not deleted. */
export function explainContent(observed: ObservedContent): Explanation {
  const { kind, ref, notes } = observed;
  const subject = `${kind.contents.kind} ${refKey(ref)}`;
  const content = foundIn(observed.content);
  if (!content) {
    const { plural, group, version } = kind.contents;
    return observed.isServed === false
      ? notServed(subject, `${plural}.${group}/${version}`, notes)
      : notFound(subject, observed.content, notes);
  }
  return explanation(
    subject,
    stepsOf(content, observed),
    notes,
    `nothing is waiting: the ${kind.called} is ready, and the content is bound`,
  );
}

function stepsOf(content: Content, observed: ObservedContent): readonly Step[] {
  if (content.metadata.deletionTimestamp !== undefined) return contentDeletionSteps(content, observed);
  const owner = ownerSteps(content, observed);
  if (owner.some(({ state }) => state === "failed") || isMarked(content, observed.kind.annotation.beingDeleted)) return owner;
  return [...takingSteps(content, observed), ...owner];
}

/** The snapshot that a content belongs to, or is meant for. */
function ownerSteps(content: Content, observed: ObservedContent): readonly Step[] {
  const { kind, snapshot: lookup } = observed;
  const { name, namespace, uid } = content.ref;
  const owner = `${kind.called} ${namespace}/${name}`;
  const evidence = { object: `${kind.contents.kind} ${content.metadata.name}`, field: kind.fields.ref, value: `${namespace}/${name}` };
  const snapshot = foundIn(lookup);
  const isGone = lookup?.state === "missing" || (snapshot !== undefined && !!uid && snapshot.metadata.uid !== uid);
  if (isGone) return [uid ? leftOver(content, observed, owner, evidence) : awaited(observed, owner, evidence)];
  if (!snapshot) return [];
  const isNamed = snapshot.contentName === content.metadata.name;
  if (content.isPreProvisioned && !isNamed && !uid) {
    const named = snapshot.contentName === undefined ? "is taken of a claim" : `names content ${snapshot.contentName}`;
    return [
      step(
        "failed",
        `the content is meant for ${owner}, which ${named}`,
        [evidence],
        `correct ${kind.fields.ref}, or name this content in ${kind.fields.contentName} of a new ${kind.called}`,
      ),
    ];
  }
  const problem = bindingProblem(kind, snapshot, content);
  if (problem) return [problem];
  if (uid) return [step("done", `the content is bound to ${owner}`, [evidence])];
  return [
    ...controllerSteps(observed, kind.operations.bind),
    step(
      "waiting",
      `the content is not bound to ${owner} yet`,
      [evidence],
      "if it takes longer than a minute, check the log of the snapshot-controller",
    ),
  ];
}

function awaited({ kind, ref }: ObservedContent, owner: string, evidence: Step["evidence"][number]): Step {
  return step(
    "waiting",
    `the content is meant for ${owner}, which does not exist`,
    [evidence],
    `create it, with ${kind.fields.contentName}: ${ref.name}`,
  );
}

/** The snapshot is deleted, and the content is not. */
function leftOver({ policy, metadata }: Content, { kind }: ObservedContent, owner: string, evidence: Step["evidence"][number]): Step {
  const object = evidence.object;
  const isKept = policy === "Retain";
  return step(
    isKept ? "waiting" : "failed",
    isKept
      ? `${owner} is deleted, and what the content names is kept: its policy is Retain`
      : `${owner} does not exist any more, and the content was left behind`,
    [evidence, { object, field: "spec.deletionPolicy", value: policy }],
    `to restore it: create a new content with its handle, and a ${kind.called} that names that; to delete it in the storage: set spec.deletionPolicy to Delete, ` +
      `annotate the content with ${kind.annotation.beingDeleted}=yes, and delete it (kubectl delete ${kind.contents.plural} ${metadata.name})`,
  );
}
