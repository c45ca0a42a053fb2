import { truncateMessage } from "@csi-sidecars/controller";
import { wellKnownAnnotation as annotation } from "@csi-sidecars/kube";
import { maxConditionBytes, type WantedClaim } from "../claim-patch.ts";
import type { Claim } from "../fields.ts";
import { messages } from "../messages.ts";
import type { ExpandPlan } from "./plan-resize.ts";
import { mergeResizeConditions } from "./resize-conditions.ts";

/** How marks are written: `recovers` is the gate RecoverVolumeExpansionFailure, `now` the time in the form of the API. */
export interface MarkOptions {
  readonly recovers: boolean;
  readonly now: string;
}

type ResizeStatus = "ControllerResizeInProgress" | "ControllerResizeInfeasible" | "NodeResizePending";

/** The driver is being asked to expand. What tells about an earlier attempt at another size goes. */
export function markResizing({ metadata, status = {} }: Claim, { size, resumes }: ExpandPlan, { recovers, now }: MarkOptions): WantedClaim {
  const isNewSize = recovers && !resumes;
  const conditions = mergeResizeConditions(status.conditions, { type: "Resizing", now, anew: isNewSize }, resumes ? "keep" : "drop");
  if (!recovers) return { status: { ...status, conditions } };
  return {
    annotations: withoutNotRequired(metadata.annotations),
    status: {
      ...status,
      conditions,
      ...(resumes ? {} : resizeStatus(status, "ControllerResizeInProgress")),
      allocatedResources: { ...status.allocatedResources, storage: size },
    },
  };
}

/** The volume is expanded, and the node has yet to expand its file system. */
export function markNodePending({ metadata, status = {} }: Claim, { recovers, now }: MarkOptions): WantedClaim {
  const pending = { type: "FileSystemResizePending", message: messages.waitingForNode(), now } as const;
  const conditions = mergeResizeConditions(status.conditions, pending, recovers ? "keep" : "drop");
  if (!recovers) return { status: { ...status, conditions } };
  return {
    annotations: withoutNotRequired(metadata.annotations),
    status: { ...status, conditions, ...resizeStatus(status, "NodeResizePending") },
  };
}

/** The claim has its new capacity; nothing is left to do for the node. */
export function markFinished({ metadata, status = {} }: Claim, capacity: string | number, { recovers }: MarkOptions): WantedClaim {
  const finished = {
    ...status,
    capacity: { ...status.capacity, storage: capacity },
    conditions: mergeResizeConditions(status.conditions, undefined, "drop"),
  };
  if (!recovers) return { status: finished };
  const { storage: _, ...statuses } = status.allocatedResourceStatuses ?? {};
  return {
    annotations: { ...metadata.annotations, [annotation.nodeExpansionNotRequired]: notRequired(metadata.annotations) },
    status: { ...finished, allocatedResourceStatuses: statuses },
  };
}

/** The driver refused to expand: for now, or for good. */
export function markRefused({ status = {} }: Claim, cause: string, infeasible: boolean, { now }: Pick<MarkOptions, "now">): WantedClaim {
  const error = { type: "ControllerResizeError", message: truncateMessage(messages.expandFailed(cause), maxConditionBytes), now } as const;
  return {
    status: {
      ...status,
      conditions: mergeResizeConditions(status.conditions, error, "keep"),
      ...(infeasible ? resizeStatus(status, "ControllerResizeInfeasible") : {}),
    },
  };
}

function resizeStatus({ allocatedResourceStatuses }: NonNullable<Claim["status"]>, storage: ResizeStatus) {
  return { allocatedResourceStatuses: { ...allocatedResourceStatuses, storage } };
}

type Annotations = Claim["metadata"]["annotations"];

function withoutNotRequired(annotations: Annotations = {}): Annotations {
  const { [annotation.nodeExpansionNotRequired]: _, ...others } = annotations;
  return others;
}

function notRequired(annotations: Annotations): string {
  return annotations?.[annotation.nodeExpansionNotRequired] ?? "true";
}
