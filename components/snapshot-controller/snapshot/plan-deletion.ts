import { hasFinalizer } from "@csi-sidecars/controller";
import { keyOf, snapshotFinalizer } from "@csi-sidecars/kube";
import type { Content, Snapshot } from "../fields.ts";
import { groupNameOf, ownerOf } from "../group-members.ts";
import { messages } from "../messages.ts";
import { contentNameOf, isBoundTo } from "./binding.ts";

/** What a plan reads. */
export interface DeletionLookups {
  readonly contents: { get(name: string): Content | undefined };
  readonly isBeingRestored: boolean;
  /** Whether the group snapshot of this name, and of this uid where that is known, is there; `undefined` where groups are not known. */
  groupExists(name: string, uid: string | undefined): boolean | "deleting" | undefined;
}

const ownFinalizers = [snapshotFinalizer.asSource, snapshotFinalizer.bound, snapshotFinalizer.inGroup];

/** What is to be done for a snapshot that is being deleted. */
export type DeletionPlan =
  /** It has no finalizers of ours, or none any more. */
  | { readonly step: "none" }
  | { readonly step: "pending"; readonly message: string }
  /** Its group snapshot is being deleted, and takes it along. */
  | { readonly step: "waitForGroup" }
  /** Whether its group snapshot exists is not known: it may be deleted only after that. */
  | { readonly step: "groupUnknown"; readonly message: string }
  | {
      readonly step: "delete";
      /** The content, if it exists and is bound to this very snapshot. */
      readonly content: Content | undefined;
    };

export function planDeletion(snapshot: Snapshot, look: DeletionLookups): DeletionPlan {
  if (!ownFinalizers.some((finalizer) => hasFinalizer(snapshot, finalizer))) return { step: "none" };
  const found = look.contents.get(snapshot.status?.boundVolumeSnapshotContentName || (contentNameOf(snapshot) ?? ""));
  const content = found && isBoundTo(found, snapshot) ? found : undefined;
  if (content && look.isBeingRestored) return { step: "pending", message: messages.beingRestored() };
  const group = groupNameOf(snapshot);
  const groupExists = group === undefined ? false : look.groupExists(group, ownerOf(snapshot)?.uid);
  const groupKey = `${snapshot.metadata.namespace}/${group}`;
  if (groupExists === undefined) return { step: "groupUnknown", message: messages.groupsOff(keyOf(snapshot), groupKey) };
  if (groupExists === "deleting") return { step: "waitForGroup" };
  if (groupExists) return { step: "pending", message: messages.memberOfGroup(keyOf(snapshot), groupKey) };
  return { step: "delete", content };
}

/** The finalizers that a snapshot loses. It stays until a content that is deleted with it is gone. */
export function removedFinalizers(isContentAwaited: boolean): readonly string[] {
  return ownFinalizers.filter((finalizer) => !(isContentAwaited && finalizer === snapshotFinalizer.bound));
}
