import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { VolumeHealthErrorType as Status, StorageHealthErrorType as StorageStatus } from "@csi-sidecars/csi";
import type { Backend } from "./backend.ts";
import { memoryData, type Space } from "./data/data.ts";
import { ConditionRules } from "./faults/condition-rules.ts";
import type { VolumeRecord } from "./state/records.ts";
import { outcome, startWorld } from "./testing/driver-world.ts";
import { create, named, publish } from "./testing/requests.ts";
import { controllerHealth } from "./volume-health.ts";

test("the health of volumes, as CSI 1.13 tells it", async () => {
  await using world = await startWorld({ volumeHealth: true });
  const { controller, node } = world.client;
  const [well, lost, told] = [await create(world, named("a")), await create(world, named("b")), await create(world, named("c"))];
  await rm(join(world.stateDir, lost), { recursive: true });
  world.driver.script.volume.condition(told, true, "on fire");
  const health = async (volumeId: string) => (await controller.controllerGetVolumeHealth({ volumeId })).volumeHealth;
  expect(await health(well)).toEqual({ volumeId: well, healthStatuses: [] });
  const missing = { status: Status.DATA_LOSS, reason: "SourceMissing", message: "The source path of the volume doesn't exist" };
  expect(await health(lost)).toEqual({ volumeId: lost, healthStatuses: [missing] });
  expect((await health(told))?.healthStatuses).toEqual([{ status: Status.DEGRADED, reason: "Scripted", message: "on fire" }]);
  expect(await outcome(health(""))).toStartWith("InvalidArgument");
  expect(await outcome(health("x"))).toStartWith("NotFound");

  const first = await controller.controllerListVolumeHealth({ maxEntries: 1 });
  const second = await controller.controllerListVolumeHealth({ maxEntries: 1, startingToken: first.nextToken });
  expect([...first.entries, ...second.entries].map(({ volumeId }) => volumeId)).toEqual([lost, told].sort());
  expect(second.nextToken).toBe("");

  const onNode = async (volumeId: string) => (await node.nodeGetVolumeHealth({ volumeId })).volumeHealth?.healthStatuses;
  const notMounted = { status: Status.INACCESSIBLE, reason: "NotMounted", message: "The volume isn't mounted" };
  expect(await onNode(well)).toEqual([notMounted]);
  await publish(world, well);
  expect(await onNode(well)).toEqual([]);
  expect(await outcome(onNode("x"))).toStartWith("NotFound");
});

test("the health of the storage", async () => {
  await using world = await startWorld({ volumeHealth: true });
  const health = async () => (await world.client.node.nodeGetStorageHealth({})).backendHealth;
  expect(await health()).toEqual([]);
  await rm(world.stateDir, { recursive: true });
  expect(await health()).toMatchObject([{ status: StorageStatus.STORAGE_UNREACHABLE, reason: "StorageUnreachable" }]);
});

test("health is not told unless it is asked for", async () => {
  await using world = await startWorld({ backend: "memory" });
  const { controller, node } = world.client;
  const calls = [
    controller.controllerGetVolumeHealth({}),
    controller.controllerListVolumeHealth({}),
    node.nodeGetVolumeHealth({}),
    node.nodeGetStorageHealth({}),
  ];
  for (const call of calls) expect(await outcome(call)).toStartWith("Unimplemented: unsupported capability");
});

test.each<[string, Space | undefined, string]>([
  ["room", { total: 2n, available: 1n }, ""],
  ["too little room for the volume", { total: 0n, available: 0n }, "The capacity of volume is greater than actual storage"],
  ["no room left", { total: 2n, available: 0n }, "The free space of the volume is insufficient"],
  ["nothing to say of its room", undefined, ""],
])("on storage with %s", (_, space, message) => {
  const backend = { conditions: new ConditionRules(), data: memoryData } as Partial<Backend> as Backend;
  const volume = { id: "v", size: 1n } as Partial<VolumeRecord> as VolumeRecord;
  expect(controllerHealth(backend, volume, space)).toMatchObject({ abnormal: message !== "", message });
});
