import type { V1Event, V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { span } from "../../text.ts";
import { lastSeen } from "../events.ts";
import { conditionOf } from "../steps/claim-conditions.ts";

/**
 * When a size or a class that the driver refused for good is tried again: an interval after its last answer, of which the event tells the
 * time, or the condition where events have expired. Both are rounded, and the interval may be another one than is known here.
 */
export function nextAttempt(
  claim: V1PersistentVolumeClaim,
  { event, condition }: { readonly event: V1Event | undefined; readonly condition: string },
  { now, infeasibleRetryMs }: { readonly now: number; readonly infeasibleRetryMs: number },
): string {
  const { lastProbeTime, lastTransitionTime } = conditionOf(claim, condition) ?? {};
  const times = [event ? lastSeen(event) : 0, ...[lastProbeTime, lastTransitionTime].map((time) => (time ? Date.parse(time) : 0))];
  const left = Math.max(...times) + infeasibleRetryMs - now;
  return left > 0 ? `this one is tried again in about ${span(left)}` : `this one is tried again every ${span(infeasibleRetryMs)} or so`;
}
