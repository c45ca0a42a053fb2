import { bytesOf, type Dictionary, dictionary } from "@csi-sidecars/base";
import type { V1PersistentVolumeClaim } from "@csi-sidecars/kube";

/** Whose turn it is, by `allocatedResourceStatuses`. */
const turns: Readonly<Dictionary<string>> = dictionary({
  ControllerResizeInProgress: "growing",
  ControllerResizeInfeasible: "infeasible",
  NodeResizePending: "waits for its node",
  NodeResizeInProgress: "growing on its node",
  NodeResizeInfeasible: "infeasible on its node",
});

/** What a bound claim requests beyond its size, and how far that is: `2Gi, growing`. Empty where it has all it requests. */
export function growthOf({ spec, status = {} }: V1PersistentVolumeClaim): string {
  const state = status.allocatedResourceStatuses?.storage;
  const requested = spec?.resources?.requests?.storage;
  if (status.phase !== "Bound" || requested === undefined) return "";
  if (state === undefined && bytesOf(requested) <= bytesOf(status.capacity?.storage)) return "";
  const waits = (status.conditions ?? []).some(({ type }) => type === "FileSystemResizePending");
  const turn = state === undefined ? waits && turns.NodeResizePending : turns[state];
  return turn ? `${requested}, ${turn}` : String(requested);
}

const modifications: Readonly<Dictionary<string>> = dictionary({ Pending: "pending", InProgress: "in progress", Infeasible: "infeasible" });

/** The VolumeAttributesClass of a claim: `gold`, or `silver to gold, in progress`. Empty where it has none. */
export function attributesOf({ spec, status = {} }: V1PersistentVolumeClaim): string {
  const { modifyVolumeStatus: modification, currentVolumeAttributesClassName: current = "" } = status;
  const wanted = modification?.targetVolumeAttributesClassName || (spec?.volumeAttributesClassName ?? "");
  if (!modification && wanted === current) return current;
  const state = modification ? modifications[modification.status] : undefined;
  return `${current === "" ? "" : `${current} `}to ${wanted || "none"}${state ? `, ${state}` : ""}`;
}
