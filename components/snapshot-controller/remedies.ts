import type { MessageRemedy } from "@csi-sidecars/host";
import { messages } from "./messages.ts";

/** What to do about what the controller finds wrong with single snapshots; where it waits for something, it goes on when that is there. */
export const snapshotControllerRemedies: readonly MessageRemedy[] = [
  {
    messages: [messages.driverMismatch],
    remedy: "delete the snapshot, and take it again with a VolumeSnapshotClass of the volume's own driver",
  },
  { messages: [messages.classMissing], remedy: "create a VolumeSnapshotClass of that name" },
  {
    messages: [messages.defaultClassUnknown],
    remedy: "name a class in spec.volumeSnapshotClassName, or mark exactly one class of the driver as default",
  },
  { messages: [messages.claimMissing], remedy: "create the claim that spec.source.persistentVolumeClaimName names" },
  { messages: [messages.claimDeleted], remedy: "the claim is being deleted: delete the snapshot too" },
  {
    messages: [messages.notCsi, messages.noDefaultForOthers],
    remedy: "only volumes of CSI drivers can be snapshotted: delete the snapshot",
  },
  {
    messages: [messages.inputUnavailable],
    remedy: "see that the claim is bound, and that the class names both parts of its secret",
  },
  {
    messages: [messages.contentMissing],
    remedy: "create the VolumeSnapshotContent that the snapshot names, or delete the snapshot",
  },
  {
    messages: [messages.contentOfOther, messages.misbound],
    remedy: "correct spec.volumeSnapshotRef of the VolumeSnapshotContent, or delete the snapshot",
  },
  {
    messages: [messages.contentNotPreProvisioned, messages.contentNotDynamic],
    remedy: "name a VolumeSnapshotContent that has spec.source.snapshotHandle, or take the snapshot of a claim",
  },
  { messages: [messages.beingRestored], remedy: "wait until the claims that are restored from it are bound, or delete them" },
  { messages: [messages.memberOfGroup], remedy: "delete the group snapshot" },
  { messages: [messages.groupsOff], remedy: "enable the feature gate CSIVolumeGroupSnapshot" },
  {
    messages: [messages.noNode],
    remedy: "see that a node has the labels that the volume's nodeAffinity requires",
  },
];
