import type { EventReason, MessageRemedy, OperationReport, VolumeOperation } from "@csi-sidecars/host";
import { messages } from "./messages.ts";

const stays = "if it stays so, check the driver's log";

/** The events of the resizer, with upstream's reasons. */
export const eventReasons = {
  resizing: { reason: "Resizing", type: "Normal", progress: "started", meaning: "the driver is expanding the volume", remedy: stays },
  resized: { reason: "VolumeResizeSuccessful", type: "Normal", progress: "succeeded", meaning: "the volume is expanded" },
  nodeExpansionRequired: {
    reason: "FileSystemResizeRequired",
    type: "Normal",
    progress: "succeeded",
    meaning: "the volume is expanded in the storage; the node has yet to expand its file system",
  },
  resizeFailed: { reason: "VolumeResizeFailed", type: "Warning", progress: "failed", meaning: "the volume could not be expanded" },
  modifying: { reason: "VolumeModify", type: "Normal", progress: "started", meaning: "the driver is modifying the volume", remedy: stays },
  modified: { reason: "VolumeModifySuccessful", type: "Normal", progress: "succeeded", meaning: "the volume is modified" },
  modifyCanceled: {
    reason: "VolumeModifyCanceled",
    type: "Normal",
    progress: "succeeded",
    meaning: "the volume is no longer to be modified",
  },
  modifyFailed: { reason: "VolumeModifyFailed", type: "Warning", progress: "failed", meaning: "the volume could not be modified" },
} as const satisfies Readonly<Record<string, EventReason>>;

const { resizing, resized, nodeExpansionRequired, resizeFailed, modifying, modified, modifyCanceled, modifyFailed } = eventReasons;

/** What the resizer is responsible for. */
export const resizerOperations: Readonly<Partial<Record<VolumeOperation, OperationReport>>> = {
  expand: {
    capability: "EXPAND_VOLUME",
    nodeMayDoIt: true,
    events: [resizing, resized, nodeExpansionRequired, resizeFailed],
    inUse: messages.inUse,
  },
  modify: { capability: "MODIFY_VOLUME", events: [modifying, modified, modifyCanceled, modifyFailed] },
};

/** What to do about what the resizer itself finds wrong. */
export const resizerRemedies: readonly MessageRemedy[] = [
  { messages: [messages.inUse], remedy: "stop the pods that use the claim until the volume is expanded" },
  {
    messages: [messages.podsUnknown],
    remedy: "if it stays so, allow the resizer to list and watch pods, or set --handle-volume-inuse-error=false",
  },
  { messages: [messages.secretUnreadable], remedy: "create that secret, or correct the reference of the PersistentVolume that names it" },
  {
    messages: [messages.answeredTooLittle, messages.answeredTooMuch],
    remedy: "the driver's answer is wrong: report it to its maintainers, with the driver's log",
  },
  { messages: [messages.modifiedUnsaved], remedy: "find out why the API server rejects the object" },
  { messages: [messages.statusNotKept], remedy: "switch the feature gate VolumeAttributesClass of the kube-apiserver on" },
  { messages: [messages.classMissing], remedy: "create it, or name an existing one in spec.volumeAttributesClassName" },
  { messages: [messages.classOfOtherDriver], remedy: "name a VolumeAttributesClass of the volume's own driver" },
];
