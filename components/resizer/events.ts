import { objectEvents } from "@csi-sidecars/controller";
import { type EventRecorder, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { eventReasons } from "./event-reasons.ts";
import type { Claim } from "./fields.ts";

/** Emits an event about a claim. */
type Emit = (claim: Claim, message: string) => void;

/** The events of the resizer, all about claims. */
export type ResizerEvents = Readonly<Record<keyof typeof eventReasons, Emit>>;

export function resizerEvents(recorder: EventRecorder): ResizerEvents {
  const claims = objectEvents(recorder, PersistentVolumeClaim);
  const emit = ({ type, reason }: (typeof eventReasons)[keyof typeof eventReasons]): Emit =>
    type === "Normal" ? (claim, text) => claims.normal(claim, reason, text) : (claim, text) => claims.warning(claim, reason, text);
  return {
    resizing: emit(eventReasons.resizing),
    resized: emit(eventReasons.resized),
    nodeExpansionRequired: emit(eventReasons.nodeExpansionRequired),
    resizeFailed: emit(eventReasons.resizeFailed),
    modifying: emit(eventReasons.modifying),
    modified: emit(eventReasons.modified),
    modifyCanceled: emit(eventReasons.modifyCanceled),
    modifyFailed: emit(eventReasons.modifyFailed),
  };
}
