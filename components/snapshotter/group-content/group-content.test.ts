import { describe, expect, test } from "bun:test";
import { Secret, VolumeGroupSnapshotClass } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import {
  beingCreated,
  beingDeleted,
  className,
  finalizer,
  groupClass,
  groupContent,
  groupUid,
  preProvisioned,
  secretName,
  secretNamespace,
} from "./testing/group-objects.ts";
import { type GroupWorld, startGroupWorld } from "./testing/group-world.ts";

const contents = "volumegroupsnapshotcontents";
const secret = { metadata: { namespace: "default", name: "keys" }, data: { user: btoa("admin") } };
const annotated = { annotations: { [secretName]: "keys", [secretNamespace]: "default" } };

const untilReady = (world: GroupWorld) => world.until(({ status }) => status?.readyToUse);

describe("a content of volumes", () => {
  test("gets its group snapshot, with three requests", async () => {
    await using world = await startGroupWorld();
    await world.addContent(groupContent({ metadata: { annotations: { "example.com/theirs": "kept" } } }));
    const { status } = await untilReady(world);
    const { metadata } = await world.until(({ metadata }) => metadata?.annotations?.[beingCreated] === undefined);
    const [group] = world.driver.groups.values();
    const [a, b] = [...world.driver.snapshots.values()];
    const nanoseconds = ({ seconds, nanos }: { seconds: bigint; nanos: number }) => seconds * 1_000_000_000n + BigInt(nanos);
    expect(status).toEqual({
      volumeGroupSnapshotHandle: group!.id,
      readyToUse: true,
      creationTime: `${new Date(Number(group!.creationTime.seconds) * 1000).toISOString().slice(0, 19)}Z`,
      volumeSnapshotInfoList: [a!, b!].map(({ id, sourceVolumeId, creationTime, sizeBytes }) => ({
        volumeHandle: sourceVolumeId,
        snapshotHandle: id,
        creationTime: nanoseconds(creationTime),
        readyToUse: true,
        restoreSize: Number(sizeBytes),
      })),
    });
    expect(metadata?.annotations).toEqual({ "example.com/theirs": "kept" });
    expect(metadata?.finalizers).toEqual([finalizer]);
    expect(world.asked()).toEqual([{ name: `groupsnapshot-${groupUid}`, sourceVolumeIds: ["a", "b"], parameters: {}, secrets: {} }]);
    expect(await world.requests()).toEqual([`patch ${contents} data`, `patch ${contents}/status data`, `patch ${contents} data`]);
    expect(await world.refused()).toEqual([]);
    expect(await world.events()).toEqual([]);
  });

  test("stores nanoseconds exactly, in the order of the answer", async () => {
    const time = { seconds: 1_800_000_000n, nanos: 123_456_789 };
    const member = (id: string) => ({ snapshotId: `s-${id}`, sourceVolumeId: id, readyToUse: false, creationTime: time });
    const groupSnapshot = {
      groupSnapshotId: "g",
      readyToUse: true,
      snapshots: [{ ...member("b"), sizeBytes: 2n ** 53n + 1n }, member("a")],
    };
    await using world = await startGroupWorld({ driver: { script: { CreateVolumeGroupSnapshot: [step.reply({ groupSnapshot })] } } });
    await world.addContent();
    const { status } = await untilReady(world);
    expect(status?.volumeSnapshotInfoList).toEqual([
      {
        volumeHandle: "b",
        snapshotHandle: "s-b",
        creationTime: 1_800_000_000_123_456_789n,
        readyToUse: false,
        restoreSize: 2n ** 53n + 1n,
      },
      { volumeHandle: "a", snapshotHandle: "s-a", creationTime: 1_800_000_000_123_456_789n, readyToUse: false },
    ]);
  });

  test("gives the driver parameters, names of objects and the secret", async () => {
    const parameters = { tier: "gold", "csi.storage.k8s.io/group-snapshotter-secret-name": "keys" };
    await using world = await startGroupWorld({
      class: groupClass(parameters),
      flags: { extraCreateMetadata: true, groupsnapshotNamePrefix: "nightly", groupsnapshotNameUuidLength: 12 },
    });
    await world.create(Secret, secret);
    await world.addContent(groupContent({ metadata: annotated }));
    await untilReady(world);
    expect(world.asked()).toEqual([
      {
        name: "nightly-0f8fad5bd9cb",
        sourceVolumeIds: ["a", "b"],
        parameters: {
          tier: "gold",
          "csi.storage.k8s.io/volumegroupsnapshot/name": "group",
          "csi.storage.k8s.io/volumegroupsnapshot/namespace": "default",
          "csi.storage.k8s.io/volumegroupsnapshotcontent/name": "data",
        },
        secrets: { user: "admin" },
      },
    ]);
  });

  test("is asked for again until it is ready, without another write", async () => {
    await using world = await startGroupWorld({ driver: { snapshotsReady: false } });
    await world.addContent();
    await world.driver.called("CreateVolumeGroupSnapshot", 4);
    const before = await world.until(({ metadata }) => metadata?.annotations?.[beingCreated] === undefined);
    expect(before.status).toMatchObject({ readyToUse: false, volumeGroupSnapshotHandle: expect.any(String) });
    world.driver.finishSnapshots();
    const { status } = await untilReady(world);
    await world.stop();
    // Members are not looked at again.
    expect(status?.volumeSnapshotInfoList).toEqual(before.status!.volumeSnapshotInfoList!);
    expect(await world.requests()).toEqual([
      ...[`patch ${contents} data`, `patch ${contents}/status data`, `patch ${contents} data`],
      `patch ${contents}/status data`,
    ]);
    expect(world.driver.groups.size).toBe(1);
    expect(await world.events()).toEqual([]);
  });

  test("that became ready in another process loses its mark", async () => {
    await using world = await startGroupWorld({ stopped: true });
    const status = { volumeGroupSnapshotHandle: "g", readyToUse: true };
    await world.addContent(groupContent({ metadata: { annotations: { [beingCreated]: "yes" } }, status }));
    await world.run();
    await world.until(({ metadata }) => metadata?.annotations?.[beingCreated] === undefined);
    expect((await world.content()).status).toEqual(status);
  });

  test("keeps what its status has, and gets what is missing", async () => {
    await using world = await startGroupWorld({ stopped: true });
    world.driver.addGroup(["a", "b"], `groupsnapshot-${groupUid}`);
    const [handle] = world.driver.groups.keys();
    const creationTime = "2026-01-02T03:04:05Z";
    await world.addContent(groupContent({ status: { volumeGroupSnapshotHandle: handle!, readyToUse: false, creationTime } }));
    await world.run();
    const { status } = await untilReady(world);
    expect(status).toMatchObject({ volumeGroupSnapshotHandle: handle, creationTime });
    expect(status?.volumeSnapshotInfoList).toHaveLength(2);
    expect(await world.requests()).toEqual([`patch ${contents}/status data`]);
  });

  test("that nobody wants any more is not taken", async () => {
    await using world = await startGroupWorld();
    await world.addContent(groupContent({ metadata: { annotations: { [beingDeleted]: "yes" } } }));
    await world.witness();
    expect(world.asked()).toEqual([]);
  });

  test.each([
    ["of another driver", groupContent({ spec: { driver: "other.example.com" } })],
    ["whose class is another driver's", groupContent({ spec: { volumeGroupSnapshotClassName: "foreign" } })],
  ])("%s is left alone", async (_, content) => {
    await using world = await startGroupWorld({ stopped: true });
    await world.create(VolumeGroupSnapshotClass, { ...groupClass(), metadata: { name: "foreign" }, driver: "other.example.com" });
    await world.addContent(content);
    await world.run();
    await world.witness();
    expect(world.asked()).toEqual([]);
    expect((await world.content()).status).toBeUndefined();
    expect((await world.requests()).filter((request) => request.endsWith("data"))).toEqual([]);
  });
});

describe("a pre-provisioned content", () => {
  const getting = { "csi.storage.k8s.io/group-snapshotter-get-secret-name": `\${volumegroupsnapshotcontent.name}-keys` };

  test("is looked up, with the secret of its class, and saved while it is not ready", async () => {
    const parameters = { ...getting, "csi.storage.k8s.io/group-snapshotter-get-secret-namespace": "default" };
    await using world = await startGroupWorld({ class: groupClass(parameters), driver: { snapshotsReady: false } });
    await world.create(Secret, { ...secret, metadata: { namespace: "default", name: "data-keys" } });
    const { id, snapshotIds, creationTime } = world.driver.addGroup(["a", "b"]);
    await world.addContent(preProvisioned(id, snapshotIds, { spec: { volumeGroupSnapshotClassName: className } }));
    await world.driver.called("GetVolumeGroupSnapshot", 3);
    const time = `${new Date(Number(creationTime.seconds) * 1000).toISOString().slice(0, 19)}Z`;
    const before = await world.until(({ status }) => status);
    expect(before.status).toEqual({ volumeGroupSnapshotHandle: id, readyToUse: false, creationTime: time });
    world.driver.finishSnapshots();
    const { status } = await untilReady(world);
    expect(status).toEqual({ volumeGroupSnapshotHandle: id, readyToUse: true, creationTime: time });
    await world.stop();
    expect(world.driver.calls("GetVolumeGroupSnapshot")[0]?.request).toEqual({
      groupSnapshotId: id,
      snapshotIds: [...snapshotIds],
      secrets: { user: "admin" },
    });
    expect((await world.requests()).filter((request) => request.startsWith("patch"))).toEqual([
      `patch ${contents}/status data`,
      `patch ${contents}/status data`,
    ]);
    expect(world.asked()).toEqual([]);
  });

  test("the handle of the status goes before that of the spec", async () => {
    await using world = await startGroupWorld();
    const { id, snapshotIds } = world.driver.addGroup(["a", "b"]);
    await world.addContent(preProvisioned("other", snapshotIds, { status: { volumeGroupSnapshotHandle: id, readyToUse: false } }));
    await untilReady(world);
    expect(world.driver.calls("GetVolumeGroupSnapshot").at(-1)?.request.groupSnapshotId).toBe(id);
  });
});
