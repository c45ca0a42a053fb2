import type { Version } from "../definition.ts";
import type { Schema } from "../schema.ts";

export const snapshotGroup = "snapshot.storage.k8s.io";
export const groupSnapshotGroup = "groupsnapshot.storage.k8s.io";

/** Where the APIs of these groups were approved. */
export const approvedIn = (pullRequest: number): string => `https://github.com/kubernetes-csi/external-snapshotter/pull/${pullRequest}`;

/** v1beta1 is no longer served. It is listed since objects of an old cluster may still be stored in it. */
export function snapshotVersions(kind: string, v1: Schema, v1beta1: Schema): readonly Version[] {
  return [
    { name: "v1", served: true, storage: true, schema: v1 },
    {
      name: "v1beta1",
      served: false,
      storage: false,
      deprecated: true,
      deprecationWarning: `${snapshotGroup}/v1beta1 ${kind} is deprecated; use ${snapshotGroup}/v1 ${kind}`,
      schema: v1beta1,
    },
  ];
}

/** v1 and v1beta2 are the same. v1beta1 lacks some rules. */
export function groupSnapshotVersions(current: Schema, v1beta1: Schema): readonly Version[] {
  return [
    { name: "v1", served: true, storage: false, schema: current },
    { name: "v1beta1", served: true, storage: false, deprecated: true, schema: v1beta1 },
    { name: "v1beta2", served: true, storage: true, schema: current },
  ];
}
