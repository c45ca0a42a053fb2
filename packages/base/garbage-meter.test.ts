import { expect, test } from "bun:test";
import { GarbageMeter } from "./garbage-meter.ts";

function meter() {
  const collected: string[] = [];
  const waiting = new Map<object, { readonly ms: number; then(): void }>();
  const metered = new GarbageMeter(
    (how) => collected.push(how),
    (ms, then) => {
      const timer = { cancel: () => void waiting.delete(timer) };
      waiting.set(timer, { ms, then });
      return timer;
    },
  );
  const pass = (most: number) => {
    for (const [timer, { ms, then }] of waiting) {
      if (ms > most) continue;
      waiting.delete(timer);
      then();
    }
  };
  return { metered, collected, workedOff: () => pass(0), quiet: () => pass(20_000), longQuiet: () => pass(60_000) };
}

test("what is read is collected by its amount, however it comes in", () => {
  const { metered, collected, workedOff } = meter();
  for (let index = 0; index < 999; index++) metered.bytesRead(1_000);
  workedOff();
  expect(collected).toEqual(["soon"]);
  metered.bytesRead(1_000);
  metered.bytesRead(10_000_000);
  workedOff();
  expect(collected).toEqual(["soon", "soon", "soon"]);
});

test("what was just read is worked off first", () => {
  const { metered, collected, workedOff } = meter();
  metered.bytesRead(1_000_000);
  expect(collected).toEqual([]);
  workedOff();
  expect(collected).toEqual(["soon"]);
});

test("when no more is read, all of it is collected once", () => {
  const { metered, collected, quiet } = meter();
  for (let index = 0; index < 3; index++) metered.bytesRead(1_000_000);
  quiet();
  expect(collected).toEqual(["soon", "soon", "soon", "thorough"]);
});

test("after much and a long pause compiled code goes too, once", () => {
  const { metered, collected, longQuiet } = meter();
  for (let index = 0; index < 5; index++) metered.bytesRead(1_000_000);
  longQuiet();
  expect(collected.slice(-2)).toEqual(["thorough", "with code"]);
  metered.bytesRead(1_000_000);
  longQuiet();
  expect(collected.slice(-2)).toEqual(["soon", "thorough"]);
});

test("what is read after a pause postpones the end of compiled code", () => {
  const { metered, collected, quiet, longQuiet } = meter();
  metered.bytesRead(10_000_000);
  quiet();
  metered.bytesRead(1_000_000);
  quiet();
  expect(collected).not.toContain("with code");
  longQuiet();
  expect(collected).toContain("with code");
});

test("little is no reason to collect", () => {
  const { metered, collected, quiet } = meter();
  metered.bytesRead(1_000);
  quiet();
  expect(collected).toEqual([]);
});
