import type { MessageRemedy } from "@csi-sidecars/host";
import { groupMessages } from "./group-snapshot/group-messages.ts";
import { messages } from "./messages.ts";

/** What to do about what the controller finds wrong with snapshots and group snapshots; where it waits for something, it goes on when that is there. */
export const snapshotControllerRemedies: readonly MessageRemedy[] = [
  {
    messages: [
      messages.notCsi,
      messages.noDefaultForOthers,
      groupMessages.notCsi,
      groupMessages.notCsiEvent,
      groupMessages.noDefaultForOthers,
    ],
    remedy: "only volumes of CSI drivers can be snapshotted: delete the snapshot",
  },
  {
    messages: [messages.driverMismatch, groupMessages.driverMismatch],
    remedy: "delete the snapshot, and take it again with a class of the volume's own driver",
  },
  {
    messages: [messages.foreignClass, groupMessages.foreignClass],
    remedy: "name a class of the content's own driver in the snapshot, or none; or correct the class that the content names",
  },
  { messages: [messages.classMissing, groupMessages.classMissing], remedy: "create a class of that name" },
  {
    messages: [messages.defaultClassUnknown, groupMessages.defaultClassUnknown, messages.noClass],
    remedy: "name a class in spec, or mark exactly one class of the driver as default",
  },
  { messages: [messages.claimMissing], remedy: "create the claim that spec.source.persistentVolumeClaimName names" },
  { messages: [messages.claimDeleted], remedy: "the claim is being deleted: delete the snapshot too" },
  {
    messages: [groupMessages.noClaims, groupMessages.claimsUnavailable],
    remedy: "label the claims as spec.source.selector wants them, or take the group snapshot again with another selector",
  },
  {
    messages: [messages.inputUnavailable, groupMessages.inputUnavailable],
    remedy: "see that the claims are bound, and that the class names both parts of its secret",
  },
  {
    messages: [messages.contentMissing, groupMessages.contentMissing],
    remedy: "create the content that the snapshot names, or delete the snapshot",
  },
  {
    messages: [
      messages.contentOfOther,
      messages.misbound,
      groupMessages.contentOfOther,
      groupMessages.misbound,
      groupMessages.bindMismatch,
    ],
    remedy: "correct the reference to the snapshot in the content's spec, or delete the snapshot",
  },
  {
    messages: [
      messages.contentNotPreProvisioned,
      messages.contentNotDynamic,
      messages.contentOfOtherKind,
      groupMessages.contentNotPreProvisioned,
      groupMessages.contentNotDynamic,
    ],
    remedy: "name a content whose spec.source has the handle of a snapshot, or take the snapshot of a claim",
  },
  {
    messages: [messages.beingRestored, groupMessages.memberBeingRestored],
    remedy: "wait until the claims that are restored from it are bound, or delete them",
  },
  { messages: [messages.memberOfGroup], remedy: "delete the group snapshot" },
  {
    messages: [messages.notOneSource, messages.notOneHandle, groupMessages.notOneSource, groupMessages.notOneHandle],
    remedy: "delete the object, and create it with one source",
  },
  {
    messages: [messages.groupUnknown],
    remedy: "see that the group snapshot exists which the driver took it with: the snapshot gets its status then",
  },
  { messages: [messages.groupsOff], remedy: "enable the feature gate CSIVolumeGroupSnapshot" },
  {
    messages: [messages.noNode, groupMessages.noNode],
    remedy: "see that a node has the labels that the nodeAffinity of every volume requires",
  },
  {
    messages: [messages.snapshotMissing, groupMessages.groupMissing],
    remedy: "restore what the content was taken for too, or delete the content as `why` says of it",
  },
  {
    messages: [messages.contentNotDeleted, messages.claimFinalizerFailed, groupMessages.contentNotDeleted],
    remedy: "see the log of the snapshot-controller: the event has no cause",
  },
];
