import { hasFinalizer } from "@csi-sidecars/controller";
import { keyOf, snapshotFinalizer } from "@csi-sidecars/kube";
import { eventReasons } from "../event-reasons.ts";
import type { Content, Snapshot } from "../fields.ts";
import { messages } from "../messages.ts";
import type { Problem } from "../report-problem.ts";
import { isBoundTo, isGroupMember, isPreProvisioned, isReadyAndBound } from "./binding.ts";
import { findContent } from "./find-content.ts";
import type { Lookups } from "./plan-lookups.ts";
import { classMissing, planTake, type TakePlan } from "./plan-take.ts";
import { type StatusChanges, statusChanges } from "./snapshot-status.ts";

/** What is to be done next for a snapshot that is not being deleted. */
export type SnapshotPlan =
  | { readonly step: "problem"; readonly problem: Problem; readonly cause?: string }
  /** Its group snapshot has yet to be read, or to write it. */
  | { readonly step: "waitForGroup" }
  | TakePlan
  | SyncPlan;

/** It has a content: they are bound, and the status follows that of the content. */
export interface SyncPlan {
  readonly step: "sync";
  readonly content: Content;
  /** What the content lacks of being bound. */
  readonly bind: { readonly uid: string; readonly className?: string } | undefined;
  readonly finalizers: readonly string[];
  readonly status: StatusChanges | undefined;
}

/** The plan for a snapshot as it is now. It is made again after every change: it never remembers. */
export function planSnapshot(snapshot: Snapshot, look: Lookups): SnapshotPlan {
  const { persistentVolumeClaimName: claim, volumeSnapshotContentName: contentName } = snapshot.spec?.source ?? {};
  if ((claim === undefined) === (contentName === undefined)) return problem("invalid", messages.notOneSource());
  const found = findContent(snapshot, look.contents);
  if (found.problem) return { step: "problem", ...found };
  const { content } = found;
  if (isReadyAndBound(snapshot)) return planReady(snapshot, look);
  if (content) return planSync(snapshot, content, look);
  if (isGroupMember(snapshot)) return { step: "waitForGroup" };
  // Once the driver has taken it, taking it again would put other data under the time that the status shows.
  if (isPreProvisioned(snapshot) || snapshot.status?.creationTime !== undefined) {
    return problem("contentMissing", messages.contentMissing());
  }
  return planTake(snapshot, look);
}

function problem(reason: keyof typeof eventReasons, message: string): SnapshotPlan {
  return { step: "problem", problem: { reason: eventReasons[reason].reason, message, notReady: true } };
}

function planReady(snapshot: Snapshot, look: Lookups): SnapshotPlan {
  const content = look.contents.get(snapshot.status?.boundVolumeSnapshotContentName ?? "");
  if (!content) return problem("contentMissing", messages.contentMissing());
  if (!isBoundTo(content, snapshot)) return problem("misbound", messages.misbound());
  // What failed before, or what another controller found wrong, is over.
  const isErrorOver = snapshot.status?.error !== undefined && content.status?.error === undefined;
  const status = isErrorOver ? { error: undefined } : undefined;
  return { step: "sync", content, bind: undefined, finalizers: finalizersFor(snapshot, content), status };
}

function planSync(snapshot: Snapshot, content: Content, look: Lookups): SnapshotPlan {
  const className = snapshot.spec?.volumeSnapshotClassName;
  if (isPreProvisioned(snapshot) && className !== undefined && !look.classes.get(className)) {
    return { step: "problem", problem: classMissing(className) };
  }
  const bind = isPreProvisioned(snapshot) ? planBind(snapshot, content) : undefined;
  const foreign = isPreProvisioned(snapshot) ? foreignClass(content, bind?.className, look) : undefined;
  if (foreign) return { step: "problem", problem: foreign };
  const isOfGroup = content.status?.volumeGroupSnapshotHandle !== undefined;
  const group = isOfGroup ? look.groupOf(content, snapshot.metadata.namespace) : "no groups";
  if (group === "not yet read") return { step: "waitForGroup" };
  const finalizers = finalizersFor(snapshot, content);
  if (group === "none") {
    // They belong together all the same, and are deleted together.
    const isPrepared = bind === undefined && finalizers.every((finalizer) => hasFinalizer(snapshot, finalizer));
    if (isPreProvisioned(snapshot) && !isPrepared) return { step: "sync", content, bind, finalizers, status: undefined };
    const message = messages.statusUpdateFailed(messages.groupUnknown(keyOf(snapshot)));
    return { step: "problem", problem: { reason: eventReasons.statusUpdateFailed.reason, message } };
  }
  return {
    ...{ step: "sync", content, bind, finalizers },
    status: statusChanges(snapshot, content, typeof group === "string" ? undefined : group.name),
  };
}

/** A content that the user has made names the snapshot; its uid, and the class of the snapshot, are added. */
function planBind({ metadata, spec }: Snapshot, { spec: of }: Content): SyncPlan["bind"] {
  const className = spec?.volumeSnapshotClassName;
  const isBound = (of?.volumeSnapshotRef?.uid ?? "") !== "";
  if (isBound && (of?.volumeSnapshotClassName !== undefined || className === undefined)) return undefined;
  return { uid: metadata.uid, ...(className !== undefined && { className }) };
}

/** The csi-snapshotter of a content's driver leaves one alone whose class is another driver's: it would never get a status, and never go. */
function foreignClass({ metadata, spec }: Content, added: string | undefined, { classes }: Lookups): Problem | undefined {
  const className = added ?? spec?.volumeSnapshotClassName;
  const classDriver = className === undefined ? undefined : classes.get(className)?.driver;
  const driver = spec?.driver ?? "";
  if (className === undefined || classDriver === undefined || classDriver === driver) return undefined;
  const message = messages.bindFailed(messages.foreignClass(metadata.name, driver, className, classDriver));
  return { reason: eventReasons.bindFailed.reason, message, notReady: true };
}

/** The finalizers of a snapshot with this content. Members of groups go with their group, before their contents do. */
export function finalizersFor(
  snapshot: Snapshot,
  { spec }: { readonly spec?: Pick<NonNullable<Content["spec"]>, "deletionPolicy"> },
): readonly string[] {
  const isHeld = spec?.deletionPolicy === "Delete" && !isGroupMember(snapshot);
  return [snapshotFinalizer.asSource, ...(isHeld ? [snapshotFinalizer.bound] : [])];
}
