import type { EventReason, MessageRemedy, OperationReport, VolumeOperation } from "@csi-sidecars/host";
import { messages } from "./messages.ts";

/** The events of the provisioner, with upstream's reasons. */
export const eventReasons = {
  provisioning: {
    reason: "Provisioning",
    type: "Normal",
    progress: "started",
    meaning: "the driver is creating the volume, or the next attempt is due soon",
    remedy: "if it stays so, check the driver's log",
  },
  provisioned: { reason: "ProvisioningSucceeded", type: "Normal", progress: "succeeded", meaning: "the volume is created" },
  provisioningFailed: { reason: "ProvisioningFailed", type: "Warning", progress: "failed", meaning: "the volume could not be created" },
  deletionFailed: { reason: "VolumeFailedDelete", type: "Warning", progress: "failed", meaning: "the volume could not be deleted" },
} as const satisfies Readonly<Record<string, EventReason>>;

const capability = "CREATE_DELETE_VOLUME";

/** What the provisioner is responsible for. */
export const provisionerOperations: Readonly<Partial<Record<VolumeOperation, OperationReport>>> = {
  create: {
    capability,
    events: [eventReasons.provisioning, eventReasons.provisioned, eventReasons.provisioningFailed],
    infeasible: messages.infeasible,
  },
  delete: { capability, events: [eventReasons.deletionFailed], stillAttached: messages.stillAttached },
};

/** Secret templates of a class are resolved below this component, and the class itself may be missing: many messages, one remedy. */
const classParameters = {
  isIn: (text: string) => /StorageClass|parameter|template from params|invalid tokens|not a valid (secret|namespace) name/i.test(text),
};

/** What to do about what the provisioner itself finds wrong. */
export const provisionerRemedies: readonly MessageRemedy[] = [
  { messages: [messages.secretUnreadable], remedy: "create that secret, or correct the class parameters that name it" },
  {
    messages: [messages.nodeNotAllowed, messages.nodeNotRequisite],
    remedy: "schedule the pod where the class allows volumes (allowedTopologies), or change the class",
  },
  {
    messages: [messages.noAccessibility, messages.csiNodeMissing],
    remedy: "check that the driver's node pod runs on that node and that its CSINode lists the driver with its topology keys",
  },
  {
    messages: [messages.selectorUnsupported],
    remedy: "recreate the claim without spec.selector: dynamically provisioned volumes have no labels to select",
  },
  {
    messages: [messages.volumeOfOtherDriver],
    remedy: "correct the annotation; then the provisioner of the volume's own driver deletes it",
  },
  { messages: [messages.unsupported], remedy: "use another driver or class, or do without" },
  { messages: [messages.attributesClassOfOtherDriver], remedy: "name a VolumeAttributesClass of the claim's own driver" },
  {
    messages: [messages.modeChanged],
    remedy:
      "use the volumeMode of the snapshot's source, or allow another one on the VolumeSnapshotContent " +
      '(annotation snapshot.storage.kubernetes.io/allow-volume-mode-change: "true")',
  },
  {
    messages: [
      messages.snapshotNotReady,
      messages.snapshotNotBound,
      messages.snapshotHandleMissing,
      messages.snapshotBeingDeleted,
      messages.snapshotUnreadable,
    ],
    remedy: "check the snapshot and its events, and that the snapshot controller and the csi-snapshotter run",
  },
  {
    messages: [messages.smallerThanSnapshot, messages.smallerThanCloneSource],
    remedy: "recreate the claim with at least the size of its source",
  },
  { messages: [messages.cloneModeDiffers], remedy: "recreate the claim with the volumeMode of its source" },
  {
    messages: [messages.cloneSourceUnusable, messages.contentOfOtherSnapshot, messages.contentOfOtherDriver],
    remedy: "use a class of the source's own driver, and a source that is bound",
  },
  {
    messages: [messages.sourceNotGranted],
    remedy: "create a ReferenceGrant in the source's namespace that lets claims of this namespace refer to it",
  },
  {
    messages: [messages.crossNamespaceDisabled],
    remedy: "enable the feature gate CrossNamespaceVolumeDataSource, or use a source in the claim's own namespace",
  },
  {
    messages: [messages.volumeAlreadyExists],
    remedy: "delete that PersistentVolume if nobody needs it; the new volume is kept, and saving it is retried",
  },
  {
    messages: [messages.volumeOfOtherClaim],
    remedy: "set a longer --volume-name-uuid-length, so that volumes have names of their own; the claim is retried",
  },
  {
    messages: [messages.volumeUnsaved],
    remedy: "find out why the API server rejects the object; the volume is kept, and saving it is retried",
  },
  {
    messages: [messages.volumeRejected],
    remedy:
      "the message says what is wrong with the object: it comes from the class or from the driver's answer; " +
      "the volume is deleted, and created again",
  },
  { messages: [messages.stillAttached], remedy: "see csi-sidecars why pv" },
  {
    messages: [
      messages.createdTooSmall,
      messages.contentSourceMissing,
      messages.contentSourceDiffers,
      messages.answerWithout,
      messages.unknownTopologyKeys,
    ],
    remedy: "the driver's answer is wrong: report it to its maintainers, with the driver's log; the volume is deleted, and created again",
  },
  { messages: [classParameters], remedy: "correct the parameters of the class; they cannot be changed in place: recreate the class" },
];
