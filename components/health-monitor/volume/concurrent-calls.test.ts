import { expect, test } from "bun:test";
import { ConcurrentCalls } from "./concurrent-calls.ts";

test("so many calls at a time, and none twice at the same time", async () => {
  const calls = new ConcurrentCalls(2);
  const ends = new Map<string, () => void>();
  const begun: string[] = [];
  const call = (key: string) =>
    calls.begin(key, () => {
      begun.push(key);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(key, resolve);
      return promise;
    });
  await call("a");
  await call("b");
  await call("a");
  const third = call("c");
  expect(begun).toEqual(["a", "b"]);
  ends.get("b")?.();
  await third;
  expect(begun).toEqual(["a", "b", "c"]);
  let isOver = false;
  const ended = calls.ended().then(() => {
    isOver = true;
  });
  ends.get("a")?.();
  await Promise.resolve();
  expect(isOver).toBe(false);
  ends.get("c")?.();
  await ended;
});
