import type { V1VolumeSnapshotContent } from "@csi-sidecars/kube";
import type { Content } from "../fields.ts";
import type { TakenSnapshot } from "./taken-snapshot.ts";

type Status = NonNullable<V1VolumeSnapshotContent["status"]>;

/** Fields of the status that change; those that are `undefined` go. */
export type StatusChanges = { readonly [K in keyof Status]?: Status[K] | undefined };

/**
 * What changes in the status of a content when the driver has described its snapshot. What is known already is never overwritten, but for
 * readiness; an error is over.
 */
export function statusChanges({ status = {} }: Content, snapshot: TakenSnapshot): StatusChanges {
  const { handle, readyToUse, creationTime, size, groupHandle } = snapshot;
  return {
    ...(status.snapshotHandle === undefined && { snapshotHandle: handle }),
    ...(status.readyToUse !== readyToUse && { readyToUse }),
    ...(status.creationTime === undefined && { creationTime }),
    ...(status.restoreSize === undefined && size !== undefined && { restoreSize: size }),
    ...(status.volumeGroupSnapshotHandle === undefined && groupHandle !== "" && { volumeGroupSnapshotHandle: groupHandle }),
    ...(status.error && { error: undefined }),
  };
}

/** What the deletion of a snapshot takes out of the status. An empty status says that it is done. */
export const clearedStatus: StatusChanges = {
  snapshotHandle: undefined,
  readyToUse: undefined,
  creationTime: undefined,
  restoreSize: undefined,
};
