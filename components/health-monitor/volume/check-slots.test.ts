import { expect, test } from "bun:test";
import { slotCount, slotMsOf, slotOf } from "./check-slots.ts";

test("uids are spread evenly over the slots", () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 30_000; i++) {
    const slot = slotOf(crypto.randomUUID());
    counts.set(slot, (counts.get(slot) ?? 0) + 1);
  }
  expect([...counts.keys()].toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: slotCount }, (_, slot) => String(slot)),
  );
  for (const count of counts.values()) expect(Math.abs(count - 30_000 / slotCount)).toBeLessThan(250);
});

test("a uid has always the same slot", () => {
  expect(slotOf("0b5c6d1e-0000-4000-8000-000000000001")).toBe(slotOf("0b5c6d1e-0000-4000-8000-000000000001"));
});

test("the slots fill the interval, and are not shorter than a timer can be", () => {
  expect(slotMsOf(60_000) * slotCount).toBe(60_000);
  expect(slotMsOf(0.001)).toBe(1);
});
