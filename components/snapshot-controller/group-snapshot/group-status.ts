import type { V1VolumeGroupSnapshot } from "@csi-sidecars/kube";
import type { GroupContent, GroupSnapshot } from "../fields.ts";

type Status = NonNullable<V1VolumeGroupSnapshot["status"]>;

/** What a status has to be changed to: a field that is `undefined` is to be removed. */
export type GroupStatusChanges = { readonly [F in keyof Status]?: Status[F] | undefined };

/** What the status of a group snapshot lacks of what its content says; `undefined` where it lacks nothing. */
export function groupStatusChanges({ status }: GroupSnapshot, content: GroupContent): GroupStatusChanges | undefined {
  const said = content.status ?? {};
  const ready = said.readyToUse ?? false;
  const error = said.error && { ...said.error };
  const changes: GroupStatusChanges = {
    ...(!status?.boundVolumeGroupSnapshotContentName && { boundVolumeGroupSnapshotContentName: content.metadata.name }),
    ...(!status?.creationTime && said.creationTime !== undefined && { creationTime: said.creationTime }),
    ...(status?.readyToUse !== ready && { readyToUse: ready }),
    ...((status?.error?.message !== error?.message || status?.error?.time !== error?.time) && { error }),
  };
  return Object.keys(changes).length === 0 ? undefined : changes;
}
