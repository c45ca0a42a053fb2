/** What decides how large a volume shall become. Sizes are in bytes. */
export interface SizeState {
  /** `spec.resources.requests.storage` of the claim. */
  readonly requested: bigint;
  /** `spec.capacity.storage` of the volume. */
  readonly volume: bigint;
  /** `status.allocatedResources.storage` of the claim: the size of the latest attempt. */
  readonly allocated: bigint | undefined;
  /** `status.allocatedResourceStatuses.storage` of the claim: how far that attempt is. */
  readonly status: string | undefined;
  /** Whether the claim has the condition `FileSystemResizePending`. */
  readonly fileSystemPending: boolean;
  /** Whether the driver ended the latest attempt with an answer: then nothing of it is running any more. */
  readonly finalError: boolean;
  /** Whether the driver's controller service expands volumes; otherwise the node does, alone. */
  readonly controllerExpands: boolean;
}

/**
 * The size to expand to: the one that the user requests now, or the one of an attempt that must come to its end first. `none` while it
 * is kubelet's turn. With `noStatus`, the API server seems too old to keep the state of an expansion.
 */
export interface TargetSize {
  readonly size: "requested" | "allocated" | "none";
  readonly noStatus?: true;
}

/** Chooses the size, so that a user who requests less after a failure gets that, but never while an earlier attempt may still succeed. */
export function planTargetSize(state: SizeState): TargetSize {
  return state.volume < state.requested ? sizeOfSmallVolume(state) : sizeOfLargeVolume(state);
}

/** The volume has less than what is requested. */
function sizeOfSmallVolume({ volume, allocated, requested, status, finalError }: SizeState): TargetSize {
  const latest = allocated === undefined ? "requested" : "allocated";
  switch (status) {
    case "NodeResizeInfeasible":
      return { size: latest };
    case "NodeResizePending":
    case "NodeResizeInProgress":
      return { size: volume >= (allocated ?? requested) ? "none" : latest };
    case "ControllerResizeInProgress":
      return { size: finalError ? "requested" : latest };
    default:
      return { size: "requested" };
  }
}

/** The volume has what is requested, and the claim does not show it yet; or the user requests less than before. */
function sizeOfLargeVolume({ allocated, status, controllerExpands, fileSystemPending }: SizeState): TargetSize {
  const latest = allocated === undefined ? "requested" : "allocated";
  switch (status) {
    case "NodeResizePending":
    case "NodeResizeInProgress":
      return { size: "none" };
    case "NodeResizeInfeasible":
      return { size: controllerExpands ? latest : "requested" };
    case "ControllerResizeInProgress":
    case "ControllerResizeInfeasible":
      return { size: latest };
    default:
      if (!status && allocated !== undefined) return { size: "allocated" };
      return { size: fileSystemPending ? "none" : "requested", noStatus: true };
  }
}
