import { bytesOf, formatBytes } from "@csi-sidecars/base";
import type { Int64, V1VolumeSnapshot } from "@csi-sidecars/kube";
import type { Content, Snapshot } from "../fields.ts";

type Status = NonNullable<V1VolumeSnapshot["status"]>;

/** What a status has to be changed to: a field that is `undefined` is to be removed. */
export type StatusChanges = { readonly [F in keyof Status]?: Status[F] | undefined };

/** What the status of a snapshot lacks of what its content says; `undefined` where it lacks nothing. */
export function statusChanges({ status }: Snapshot, content: Content, groupName: string | undefined): StatusChanges | undefined {
  const said = content.status ?? {};
  const ready = said.readyToUse ?? false;
  const error = said.error && { ...said.error };
  const changes: StatusChanges = {
    ...(!status?.boundVolumeSnapshotContentName && { boundVolumeSnapshotContentName: content.metadata.name }),
    ...(!status?.creationTime && said.creationTime !== undefined && { creationTime: rfc3339(said.creationTime) }),
    ...(status?.readyToUse !== ready && { readyToUse: ready }),
    ...(lacksSize(status?.restoreSize, said.restoreSize) && { restoreSize: formatBytes(BigInt(said.restoreSize ?? 0)) }),
    ...(!isSameError(status?.error, error) && { error }),
    ...(!status?.volumeGroupSnapshotName && groupName !== undefined && { volumeGroupSnapshotName: groupName }),
  };
  return Object.keys(changes).length === 0 ? undefined : changes;
}

function lacksSize(size: string | number | undefined, said: Int64 | undefined): boolean {
  if (said === undefined) return false;
  return size === undefined || (bytesOf(size) === 0n && BigInt(said) > 0n);
}

function isSameError(a: Status["error"], b: Status["error"]): boolean {
  return a?.message === b?.message && a?.time === b?.time && (a === undefined) === (b === undefined);
}

/** Nanoseconds since the epoch as `metav1.Time` is written: in whole seconds, rounded down. */
export function rfc3339(nanoseconds: Int64): string {
  const ns = BigInt(nanoseconds);
  const second = 10n ** 9n;
  const seconds = (ns - (((ns % second) + second) % second)) / second;
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, -5)}Z`;
}
