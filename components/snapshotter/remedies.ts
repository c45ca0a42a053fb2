import type { MessageRemedy } from "@csi-sidecars/host";
import { groupMessages } from "./group-content/group-messages.ts";
import { messages } from "./messages.ts";

/** What to do about what the snapshotter itself finds wrong. */
export const snapshotterRemedies: readonly MessageRemedy[] = [
  {
    messages: [messages.secretUnnamed, messages.credentialsMissing, messages.credentialsUnreadable],
    remedy: "create the secret that the content's deletion-secret annotations name, or correct the annotations",
  },
  { messages: [messages.secretUnreadable], remedy: "create that secret, or correct the parameters of the class that name it" },
  {
    messages: [messages.classMissing, groupMessages.classMissing],
    remedy: "create a class of that name: the snapshot goes on then; or delete the snapshot, and take it again with another class",
  },
  {
    messages: [messages.noClass, groupMessages.noClass],
    remedy: "name a class in spec, or make one the default, and take the snapshot again",
  },
  {
    messages: [messages.secretReferenceInvalid, messages.parametersInvalid],
    remedy: "correct the parameters of the class",
  },
  {
    messages: [messages.notBound, messages.noVolume, groupMessages.notBound, groupMessages.noVolumes],
    remedy: "check that the snapshot-controller runs: it fills in what is missing in the content",
  },
  {
    messages: [messages.snapshotNotFound, groupMessages.nothingToCheck, groupMessages.nothingToDelete],
    remedy: "check the handles in the content's spec.source: the storage does not have such a snapshot",
  },
  {
    messages: [
      messages.answeredWithoutSnapshot,
      messages.answeredWithoutId,
      messages.answeredOtherSnapshot,
      messages.answeredSenselessSize,
      groupMessages.answeredWithoutGroup,
      groupMessages.answeredWithoutId,
      groupMessages.answeredOtherGroup,
      groupMessages.answeredOtherVolume,
      groupMessages.answeredWithoutSnapshotId,
      groupMessages.answeredVolumeTwice,
      groupMessages.answeredSnapshotTwice,
      groupMessages.answeredWithoutVolume,
    ],
    remedy: "the driver's answer is wrong: report it to its maintainers, with the driver's log",
  },
  {
    messages: [messages.saveFailed, messages.clearFailed, groupMessages.saveFailed],
    remedy: "the snapshot is there, and that cannot be written: find out why the API server rejects the content",
  },
  {
    messages: [messages.deleteFailed, groupMessages.deleteFailed],
    remedy: "see the logs of csi-snapshotter and of the driver: the event has no cause",
  },
];
