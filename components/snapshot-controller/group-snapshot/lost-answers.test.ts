import { expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { groupSnapshotFinalizer, VolumeGroupSnapshot, VolumeGroupSnapshotContent } from "@csi-sidecars/kube";
import { driverName, inDefault, startGroupWorld } from "../testing/group-world.ts";

test("a group that became ready by a write whose answer is lost stays ready, and that is told", async () => {
  await using world = await startGroupWorld();
  await world.addClass();
  await world.addClaim("a");
  world.sidecar.isReady = false;
  await world.addGroup();
  await world.untilGroup(({ status }) => status?.boundVolumeGroupSnapshotContentName && status.creationTime);
  const stop = new AbortController();
  const seen: (boolean | undefined)[] = [];
  const events = await world.admin.watch(VolumeGroupSnapshot, { signal: stop.signal });
  const watching = (async () => {
    for await (const { type, object } of events)
      if (type === "MODIFIED" && object.metadata?.name === "group") seen.push(object.status?.readyToUse);
  })().catch(() => undefined);
  world.controller.disturb({ resource: VolumeGroupSnapshot, subresource: "status", how: "lost" });
  world.sidecar.isReady = true;
  await world.untilEvent("group", "Warning GroupSnapshotStatusUpdateFailed: GroupSnapshot status update failed, ");
  await world.untilEvent("group", "Normal GroupSnapshotReady: GroupSnapshot default/group is ready to use.");
  // What was due before has been done when another one is ready.
  await world.addGroup("witness");
  await world.untilGroup(({ status }) => status?.readyToUse, "witness");
  const labels = `driver_name="${driverName}",operation_name="CreateGroupSnapshotAndReady",operation_status="success",snapshot_type="dynamic"`;
  expect(await world.controller.metrics()).toContain(`snapshot_controller_operation_total_seconds_count{${labels}} 2\n`);
  stop.abort();
  await watching;
  expect([seen, (await world.group()).status?.error]).toEqual([[true], undefined]);
});

test("a new leader that does not see the content of the one before it creates no second one", async () => {
  await using world = await startGroupWorld();
  await world.addClaim("a");
  const { metadata } = await world.addGroup();
  await world.untilGroup(({ status }) => status?.error);
  const release = world.controller.holdWatch(VolumeGroupSnapshotContent);
  const { name, namespace, uid } = metadata ?? {};
  await world.create(VolumeGroupSnapshotContent, {
    metadata: { name: `groupsnapcontent-${uid}`, finalizers: [groupSnapshotFinalizer.content] },
    spec: {
      ...{ deletionPolicy: "Delete", driver: driverName, source: { volumeHandles: ["handle-a"] }, volumeGroupSnapshotClassName: "gold" },
      volumeGroupSnapshotRef: { name, namespace, uid },
    } as never,
  });
  await world.addClass();
  await world.untilGroup(({ status }) => status?.boundVolumeGroupSnapshotContentName === `groupsnapcontent-${uid}`);
  release();
  await world.untilGroup(({ status }) => status?.readyToUse);
  expect([(await world.groupContents()).length, world.sidecar.groups.size]).toEqual([1, 1]);
  expect(await world.refused()).toEqual([expect.stringMatching(/^409 create volumegroupsnapshotcontents/)]);
});

test("a group of two sources, or of none, is told where the definitions let it pass", async () => {
  const definitions = JSON.parse(
    JSON.stringify(snapshotDefinitions, (key, value) => (key.startsWith("x-kubernetes-val") ? undefined : value)),
  );
  await using world = await startGroupWorld({ definitions });
  const selector = { matchLabels: { app: "db" } };
  await world.addGroup("both", { source: { selector, volumeGroupSnapshotContentName: "content" } });
  await world.addGroup("none", { source: {} });
  for (const name of ["both", "none"]) {
    const text = "Exactly one of Selector and VolumeGroupSnapshotContentName should be specified";
    await world.untilEvent(name, `Warning GroupSnapshotValidationError: ${text}`);
    const { status } = await world.untilGroup(({ status }) => status?.error, name);
    expect([status?.error?.message, status?.readyToUse]).toEqual([text, false]);
  }
  await world.admin.delete(VolumeGroupSnapshot, inDefault("both"));
  await world.untilGone(VolumeGroupSnapshot, inDefault("both"));
});
