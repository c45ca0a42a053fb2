import { keyOf } from "@csi-sidecars/kube";
import type { GroupContent, GroupSnapshot } from "../fields.ts";
import type { Problem } from "../report-problem.ts";
import { groupContentNameOf, isFreeFor, isGroupContentOf, isPreProvisionedGroup } from "./group-binding.ts";
import { groupEventReasons as reasons } from "./group-event-reasons.ts";
import { groupMessages as messages } from "./group-messages.ts";

/** Why a group snapshot gets no further, and what else users and the log are told about it. */
export interface GroupProblem extends Problem {
  /** Another warning that goes with it. */
  readonly warning?: { readonly reason: string; readonly message: string };
  /** The error of the attempt; the message unless told. */
  readonly error?: string;
}

/** The API server refuses a group snapshot of no source or of two, with definitions that have the rule. */
export function sourceProblem({ spec }: GroupSnapshot): GroupProblem | undefined {
  const { selector, volumeGroupSnapshotContentName: content } = spec?.source ?? {};
  if ((selector === undefined) !== (content === undefined)) return undefined;
  return { reason: reasons.invalid.reason, message: messages.notOneSource(), notReady: true };
}

/** Why a content cannot be the group's. A pre-provisioned one may be free. */
export function contentProblem(group: GroupSnapshot, content: GroupContent): GroupProblem | undefined {
  const { name } = content.metadata;
  const isStatic = isPreProvisionedGroup(group);
  if (isStatic !== (content.spec?.source?.groupSnapshotHandles !== undefined)) {
    const [wanted, found] = isStatic ? ["pre-provisioned", "dynamically provisioned"] : ["dynamically provisioned", "pre-provisioned"];
    const error = `group snapshot ${keyOf(group)} expects a ${wanted} VolumeGroupSnapshotContent ${name} but gets a ${found} one`;
    const message = isStatic ? messages.contentNotPreProvisioned() : messages.contentNotDynamic(name);
    return unusableContent(reasons.contentMismatch.reason, message, error);
  }
  if (isGroupContentOf(content, group) || (isStatic && isFreeFor(content, group))) return undefined;
  const message = messages.contentOfOther(name);
  return unusableContent(reasons.contentMisbound.reason, message, message);
}

function unusableContent(reason: string, message: string, error: string): GroupProblem {
  const warning = { reason: reasons.finalizersFailed.reason, message: messages.finalizersFailed(error) };
  return { reason, message, notReady: true, warning, error };
}

/** The csi-snapshotter of a content's driver leaves one alone whose class is another driver's: it would never get a status, and never go. */
export function foreignClass(
  group: GroupSnapshot,
  { metadata, spec }: GroupContent,
  classes: { get(name: string): { readonly driver?: string } | undefined },
): GroupProblem | undefined {
  const className = spec?.volumeGroupSnapshotClassName ?? group.spec?.volumeGroupSnapshotClassName;
  const classDriver = className === undefined ? undefined : classes.get(className)?.driver;
  const driver = spec?.driver ?? "";
  if (className === undefined || classDriver === undefined || classDriver === driver) return undefined;
  const error = messages.foreignClass(metadata.name, driver, className, classDriver);
  return { reason: reasons.bindFailed.reason, message: messages.bindFailed(error), notReady: true, error };
}

/** What is wrong with a group snapshot that was ready. */
export function readyProblem(group: GroupSnapshot, content: GroupContent | undefined): GroupProblem | undefined {
  if (!content) return missingContent(group);
  if (isGroupContentOf(content, group)) return undefined;
  return { reason: reasons.misbound.reason, message: messages.misbound(), notReady: true };
}

export function missingContent(group: GroupSnapshot): GroupProblem {
  const error = `group snapshot ${keyOf(group)} requests an non-existing group snapshot content ${groupContentNameOf(group)}`;
  return { reason: reasons.contentMissing.reason, message: messages.contentMissing(), notReady: true, error };
}
