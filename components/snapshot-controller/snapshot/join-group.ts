import { apiCallOptions, done, patchNewest, type ReconcileResult, retry } from "@csi-sidecars/controller";
import { apiVersionOf, jsonPatch, VolumeGroupSnapshot } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "../controller-context.ts";
import type { Snapshot } from "../fields.ts";
import { ownerOf } from "../group-members.ts";
import { isGroupContentOf } from "../group-snapshot/group-binding.ts";
import { isReadyAndBound } from "./binding.ts";

/** Makes a pre-provisioned group snapshot the owner of a snapshot that the driver took with it. */
export async function joinGroup(c: SnapshotControllerContext, snapshot: Snapshot, signal: AbortSignal): Promise<ReconcileResult> {
  const name = snapshot.status?.volumeGroupSnapshotName ?? "";
  if (name === "" || !c.groups || !isReadyAndBound(snapshot) || ownerOf(snapshot)) return done;
  const group = c.groups.groupSnapshots.get(`${snapshot.metadata.namespace}/${name}`);
  const content = c.contents.get(snapshot.status?.boundVolumeSnapshotContentName ?? "");
  // Who owns a snapshot takes it along when it is deleted: the name alone is not enough.
  if (!group || !content || !c.groups.contentsOfGroup(content).some((each) => isGroupContentOf(each, group))) return retry;
  const owner = { apiVersion: apiVersionOf(VolumeGroupSnapshot), kind: VolumeGroupSnapshot.kind, name, uid: group.metadata.uid };
  await patchNewest(
    c.snapshotTarget,
    snapshot,
    (newest) => (ownerOf(newest) ? undefined : ownerPatch(newest, owner)),
    apiCallOptions(signal),
  );
  return done;
}

type Owner = NonNullable<Snapshot["metadata"]["ownerReferences"]>[number];

function ownerPatch({ metadata }: Snapshot, owner: Owner) {
  const path = "/metadata/ownerReferences";
  const { ownerReferences: old } = metadata;
  return jsonPatch([
    { op: "test", path: "/metadata/uid", value: metadata.uid },
    { op: "test", path, value: old ?? null },
    { op: "add", path, value: [...(old ?? []), owner] },
  ]);
}
