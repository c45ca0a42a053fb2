import { expect, test } from "bun:test";
import { GarbageMeter } from "./garbage-meter.ts";

function meter() {
  const collected: string[] = [];
  const waiting = new Map<object, () => void>();
  const metered = new GarbageMeter(
    (how) => collected.push(how),
    (_, then) => {
      const timer = { cancel: () => void waiting.delete(timer) };
      waiting.set(timer, then);
      return timer;
    },
  );
  const quiet = () => {
    for (const then of waiting.values()) then();
  };
  return { metered, collected, quiet };
}

test("what is read is collected by its amount, however it comes in", () => {
  const { metered, collected } = meter();
  for (let index = 0; index < 999; index++) metered.bytesRead(1_000);
  expect(collected).toEqual(["soon"]);
  metered.bytesRead(1_000);
  metered.bytesRead(10_000_000);
  expect(collected).toEqual(["soon", "soon", "soon"]);
});

test("when no more is read, all of it is collected once", () => {
  const { metered, collected, quiet } = meter();
  for (let index = 0; index < 3; index++) metered.bytesRead(1_000_000);
  quiet();
  expect(collected).toEqual(["soon", "soon", "soon", "thorough"]);
});

test("little is no reason to collect", () => {
  const { metered, collected, quiet } = meter();
  metered.bytesRead(1_000);
  quiet();
  expect(collected).toEqual([]);
});
