import { bytesOf, canonicalResourceQuantity } from "@csi-sidecars/base";
import { requestedBytes } from "@csi-sidecars/controller";
import type { Key } from "@csi-sidecars/kube";
import type { DriverInfo } from "../driver-capabilities.ts";
import type { Claim, Volume } from "../fields.ts";
import { planTargetSize } from "./plan-target-size.ts";
import { hasCondition } from "./resize-conditions.ts";

/** What a claim asks of the driver now. */
export type ResizePlan =
  /** Nothing: it has what it requests, or it is kubelet's turn. */
  { readonly step: "none"; readonly noStatus?: true } | ExpandPlan;

export interface ExpandPlan {
  readonly step: "expand";
  /** The size, as the user or an earlier attempt wrote it. */
  readonly size: string;
  readonly bytes: bigint;
  /** Whether an attempt at this very size is recorded in the claim already. */
  readonly resumes: boolean;
  readonly noStatus?: true;
}

/** A claim, its volume and what it asks for, in one pass. */
export interface Resize {
  /** See `claimKey`. */
  readonly key: Key;
  readonly claim: Claim;
  readonly volume: Volume;
  readonly plan: ExpandPlan;
}

export interface ResizeKnowledge {
  readonly driver: Pick<DriverInfo, "expansion">;
  /** The gate `RecoverVolumeExpansionFailure`. */
  readonly recovers: boolean;
  /** See `SizeState`. */
  readonly finalError: boolean;
}

/** The plan for a claim and the volume that it is bound to. It is made again after every change: it never remembers. */
export function planResize(claim: Claim, volume: Volume, known: ResizeKnowledge): ResizePlan {
  if (!isTooSmall(claim)) return { step: "none" };
  return known.recovers ? planRecovering(claim, volume, known) : planPlain(claim, volume);
}

/** Whether a bound claim has less than it requests. */
export function isTooSmall(claim: Claim): boolean {
  return claim.status?.phase === "Bound" && requestedBytes(claim) > capacityBytes(claim);
}

/** What a claim has; 0 before it is bound. */
export function capacityBytes({ status }: Claim): bigint {
  return bytesOf(status?.capacity?.storage);
}

export function volumeBytes({ spec }: Volume): bigint {
  return bytesOf(spec?.capacity?.storage);
}

function planRecovering(claim: Claim, volume: Volume, { driver, finalError }: ResizeKnowledge): ResizePlan {
  const { status } = claim;
  const latest = status?.allocatedResources?.storage;
  const allocated = latest === undefined ? undefined : bytesOf(latest);
  const requested = requestedBytes(claim);
  const { size, noStatus } = planTargetSize({
    ...{ requested, allocated, finalError, volume: volumeBytes(volume) },
    status: status?.allocatedResourceStatuses?.storage,
    fileSystemPending: hasCondition(status?.conditions, "FileSystemResizePending"),
    controllerExpands: driver.expansion === "controller",
  });
  const old = noStatus && { noStatus };
  if (size === "none") return { step: "none", ...old };
  if (size === "allocated" && allocated !== undefined) {
    return { step: "expand", size: canonicalResourceQuantity(latest), bytes: allocated, resumes: true, ...old };
  }
  return { ...toRequested(claim), resumes: requested === allocated, ...old };
}

/** Without recovery: always to the request, until the claim says that it is kubelet's turn. */
function planPlain(claim: Claim, volume: Volume): ResizePlan {
  const isExpanded = volumeBytes(volume) >= requestedBytes(claim);
  return isExpanded && hasCondition(claim.status?.conditions, "FileSystemResizePending") ? { step: "none" } : toRequested(claim);
}

function toRequested(claim: Claim): ExpandPlan {
  const size = canonicalResourceQuantity(claim.spec?.resources?.requests?.storage ?? "0");
  return { step: "expand", size, bytes: requestedBytes(claim), resumes: false };
}
