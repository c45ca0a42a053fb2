import { test } from "bun:test";
import {
  groupSnapshotAnnotation,
  type V1VolumeGroupSnapshotContent,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotContent,
} from "@csi-sidecars/kube";
import { startGroupWorld } from "../testing/group-world.ts";

test("a group snapshot goes whose deletion the watch shows only together with our own status", async () => {
  await using world = await startGroupWorld({ flags: { retryIntervalStart: 600_000, retryIntervalMax: 600_000 } });
  world.sidecar.takes = false;
  await world.addClass();
  await world.addClaim("a");
  let releaseContents = () => {};
  const holdContents = async () => {
    releaseContents = world.controller.holdWatch(VolumeGroupSnapshotContent);
  };
  world.controller.disturb({ verb: "create", resource: VolumeGroupSnapshotContent, how: "sent", meanwhile: holdContents });
  const held = Promise.withResolvers<ReturnType<typeof world.controller.holdWatch>>();
  const removeUnseen = async () => {
    held.resolve(world.controller.holdWatch(VolumeGroupSnapshot));
    await world.deleteGroup();
  };
  world.controller.disturb({ resource: VolumeGroupSnapshot, subresource: "status", how: "sent", meanwhile: removeUnseen });
  await world.addGroup();
  const release = await held.promise;
  await world.untilGroup(({ status }) => status?.boundVolumeGroupSnapshotContentName);
  release("expired");
  // csi-snapshotter is told, or has let the content go already.
  const isTold = ({ metadata }: V1VolumeGroupSnapshotContent) =>
    metadata?.annotations?.[groupSnapshotAnnotation.beingDeleted] !== undefined;
  await world.untilTrue(async () => (await world.groupContents()).every(isTold));
  releaseContents();
  await world.untilNothingIsLeft();
});
