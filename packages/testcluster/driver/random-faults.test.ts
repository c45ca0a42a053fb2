import { expect, test } from "bun:test";
import { randomFaults } from "./random-faults.ts";
import { startScriptedDriver } from "./scripted-driver.ts";
import { clientOf, create } from "./testing/driver-client.ts";

test("every third answer is lost after the work was done; repeating the call finds it done", async () => {
  await using driver = await startScriptedDriver({ faults: { seed: 7, loseEvery: 3, delayMs: [0, 2] } });
  using client = clientOf(driver);
  for (const name of ["a", "b", "c", "d", "e", "f"]) {
    while (!(await client.controller.createVolume(create(name)).catch(() => undefined)));
  }
  expect(driver.volumes.size).toBe(6);
  const calls = driver.calls("CreateVolume");
  expect(calls).toHaveLength(8);
  expect(calls.filter(({ outcome }) => outcome?.kind === "unanswered").map(({ order }) => order)).toEqual([3, 6]);
  driver.injectFaults();
  for (const name of ["g", "h", "i"]) await client.controller.createVolume(create(name));
});

test("a seed repeats the faults, and reading calls have none", () => {
  const faults = { seed: 42, loseShare: 0.5, delayMs: [1, 9] } as const;
  const play = () => Array.from({ length: 20 }, () => JSON.stringify(randomFaults(faults)("CreateVolume")));
  expect(play()).toEqual(play());
  const next = randomFaults(faults);
  const kinds = Array.from({ length: 50 }, () => JSON.stringify(next("DeleteVolume")));
  expect(kinds.filter((kind) => kind.includes("lose")).length).toBeWithin(10, 40);
  expect(next("ListVolumes")).toEqual({ kind: "act" });
});
