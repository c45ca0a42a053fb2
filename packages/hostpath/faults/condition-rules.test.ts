import { describe, expect, test } from "bun:test";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startWorld, type World } from "../testing/driver-world.ts";
import { create, named, publish } from "../testing/requests.ts";
import { type Condition, type ConditionRule, ConditionRules } from "./condition-rules.ts";

const volume = { id: "id-1", name: "pvc-1" };
const bad = (name: string, message: string): ConditionRule => ({ volume: name, condition: { message } });
const fine = { abnormal: false, message: "" };

describe("the condition of a volume", () => {
  test.each<[string, readonly ConditionRule[], Condition | undefined]>([
    ["without a rule", [], undefined],
    ["of another volume", [bad("id-2", "x")], undefined],
    ["by its id", [bad("id-1", "x")], { abnormal: true, message: "x" }],
    ["by its name", [bad("pvc-1", "x")], { abnormal: true, message: "x" }],
    ["as one of all", [bad("*", "x")], { abnormal: true, message: "x" }],
    ["by its own rule, wherever that is", [bad("pvc-1", "own"), bad("*", "all")], { abnormal: true, message: "own" }],
    ["by the last of several", [bad("id-1", "first"), bad("id-1", "last")], { abnormal: true, message: "last" }],
    ["without a message", [{ volume: "*", condition: {} }], { abnormal: true, message: "" }],
    ["that is said to be fine", [bad("*", "x"), { volume: "id-1", condition: { abnormal: false } }], fine],
  ])("%s", (_, rules, expected) => {
    const book = new ConditionRules();
    for (const rule of rules) book.set(rule);
    expect(book.of(volume)).toEqual(expected);
  });
});

/** The conditions that ListVolumes tells, by volume id. */
async function listed({ client }: World): Promise<Readonly<Record<string, Condition | undefined>>> {
  const { entries } = await client.controller.listVolumes({});
  return Object.fromEntries(entries.map(({ volume, status }) => [volume?.volumeId ?? "", status?.volumeCondition]));
}

test("a rule makes one volume abnormal for all who ask, and without it the volume is as it was", async () => {
  await using world = await startWorld({ volumeHealth: true });
  const { controller, node } = world.client;
  const [told, other] = [await create(world, named("a")), await create(world, named("b"))];
  const volumePath = await publish(world, told);
  const failing = { abnormal: true, message: "the disk is failing" };
  world.driver.rules.set([bad(told, failing.message)]);
  expect(await listed(world)).toEqual({ [told]: failing, [other]: fine });
  expect((await controller.controllerGetVolume({ volumeId: told })).status?.volumeCondition).toEqual(failing);
  expect((await node.nodeGetVolumeStats({ volumeId: told, volumePath })).volumeCondition).toEqual(failing);
  expect((await controller.controllerListVolumeHealth({})).entries.map(({ volumeId }) => volumeId)).toEqual([told]);
  world.driver.rules.set([]);
  expect(await listed(world)).toEqual({ [told]: fine, [other]: fine });
});

test("a rule for all volumes, in a file, replaces what the checks find, until it goes", async () => {
  await using scratch = await startWorld();
  const faultsFile = scratch.path("faults.yaml");
  await writeFile(faultsFile, "");
  await using world = await startWorld({ faultsFile });
  const [well, lost] = [await create(world, named("a")), await create(world, named("b"))];
  await rm(join(world.stateDir, lost), { recursive: true });
  const missing = { abnormal: true, message: "The source path of the volume doesn't exist" };
  expect(await listed(world)).toEqual({ [well]: fine, [lost]: missing });
  await writeFile(faultsFile, `- {volume: "*", condition: {message: the array is on fire}}\n- {volume: b, condition: {abnormal: false}}`);
  expect(await listed(world)).toEqual({ [well]: { abnormal: true, message: "the array is on fire" }, [lost]: fine });
  await rm(faultsFile);
  expect(await listed(world)).toEqual({ [well]: fine, [lost]: missing });
});

test("without the capability no condition is told", async () => {
  await using world = await startWorld({ volumeCondition: false });
  const { controller, node } = world.client;
  const volumeId = await create(world, named("a"));
  const volumePath = await publish(world, volumeId);
  world.driver.script.volume.condition("*", true, "unheard");
  expect(await listed(world)).toEqual({ [volumeId]: undefined });
  expect((await controller.controllerGetVolume({ volumeId })).status?.volumeCondition).toBeUndefined();
  expect((await node.nodeGetVolumeStats({ volumeId, volumePath })).volumeCondition).toBeUndefined();
});
