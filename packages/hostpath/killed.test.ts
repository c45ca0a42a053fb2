import { expect, test } from "bun:test";
import { torture } from "./testing/torture.ts";

test("killed at random moments, the driver knows what it has answered, and nothing is done by half", async () => {
  const { kills, answered, cutOff } = await torture({ seconds: 4, seed: 5 });
  expect(kills).toBeGreaterThanOrEqual(3);
  expect(answered).toBeGreaterThan(0);
  expect(cutOff).toBeGreaterThan(0);
}, 60_000);
