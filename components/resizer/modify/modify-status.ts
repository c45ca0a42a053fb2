import { truncateMessage } from "@csi-sidecars/controller";
import { Code, codeName, GrpcError } from "@csi-sidecars/csi";
import { type ClaimStatus, maxConditionBytes, type WantedClaim } from "../claim-patch.ts";
import type { Claim } from "../fields.ts";
import { messages } from "../messages.ts";
import { mergeModifyConditions, modifyingVolume, modifyVolumeError, withoutConditions } from "./modify-conditions.ts";
import type { FailedAnswer } from "./modify-state.ts";

/** How a claim looks after each step of modifying its volume. What others have written stays. */

/** The target that was tried before is kept, so that quota counts it; the conditions, too. */
export function pending({ status }: Claim): WantedClaim {
  return { status: { ...status, modifyVolumeStatus: { ...status?.modifyVolumeStatus, status: "Pending" } } };
}

export function inProgress({ status }: Claim, className: string, now: number): WantedClaim {
  return {
    status: {
      ...status,
      modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName: className },
      conditions: mergeModifyConditions(
        status?.conditions,
        [{ type: modifyingVolume, message: messages.modifyInProgress(className) }],
        now,
      ),
    },
  };
}

/** Written after every failed call, even if only the time of the probe changes: it tells users when the driver last refused. */
export function failed({ status }: Claim, answer: FailedAnswer, now: number): WantedClaim {
  const { className, error, uncertain, infeasible } = answer;
  const progress = uncertain ? messages.modifyStillInProgress : messages.modifyWaitsForRetry;
  const conditions = mergeModifyConditions(
    status?.conditions,
    [
      { type: modifyingVolume, message: progress(className) },
      { type: modifyVolumeError, ...reasonAndMessage(error) },
    ],
    now,
  );
  return {
    status: {
      ...status,
      modifyVolumeStatus: { status: infeasible ? "Infeasible" : "InProgress", targetVolumeAttributesClassName: className },
      conditions,
    },
  };
}

/** As after a driver that refuses its parameters, which is what users and tools know how to read. */
export function refused(claim: Claim, className: string, message: string, now: number): WantedClaim {
  const error = new GrpcError(Code.InvalidArgument, message);
  return failed(claim, { outcome: "failed", className, error, uncertain: false, infeasible: true }, now);
}

/** As Go's `status.Convert` has it: an error that is no gRPC status is of the code Unknown. */
function reasonAndMessage(error: Error): { readonly reason: string; readonly message: string } {
  const isStatus = error instanceof GrpcError;
  const reason = isStatus ? error.codeName : codeName(Code.Unknown);
  return { reason, message: truncateMessage(isStatus ? error.details : error.message, maxConditionBytes) };
}

export function completed({ status }: Claim, className: string): WantedClaim {
  const { modifyVolumeStatus: _, ...rest }: ClaimStatus = status ?? {};
  const conditions = withoutConditions(status?.conditions, [modifyingVolume, modifyVolumeError]);
  return { status: { ...rest, currentVolumeAttributesClassName: className, conditions } };
}

/** What the last attempt ended with stays visible. */
export function canceled({ status }: Claim): WantedClaim {
  return { status: { ...status, conditions: withoutConditions(status?.conditions, [modifyingVolume]) } };
}
