import { expect, test } from "bun:test";
import { KeyedMutex, KeyedTryLock } from "./keyed-locks.ts";

function owners() {
  const locks = new KeyedTryLock();
  const called: string[] = [];
  return { locks, called, tryAcquire: (name: string, owner: string) => locks.tryAcquire(name, owner, () => called.push(owner)) };
}

test("a free lock is acquired at once, a held one when its holder releases it, first come first served", () => {
  const { locks, called, tryAcquire } = owners();
  expect(["a", "b", "c"].map((owner) => tryAcquire("p", owner))).toEqual([true, false, false]);
  locks.release("a");
  expect(called).toEqual(["b"]);
  expect(["c", "b"].map((owner) => tryAcquire("p", owner))).toEqual([false, true]);
  locks.release("b");
  locks.release("c");
  expect(called).toEqual(["b", "c"]);
  expect(locks.size).toBe(0);
});

test("a lock that was passed to an owner that does not come back is passed on when that one releases", () => {
  const { locks, called, tryAcquire } = owners();
  for (const owner of ["a", "b", "c"]) tryAcquire("p", owner);
  locks.release("a");
  locks.release("b");
  expect(called).toEqual(["b", "c"]);
  expect(tryAcquire("p", "c")).toBe(true);
});

test("release gives up all locks of the owner and no others", () => {
  const { locks, tryAcquire } = owners();
  expect([tryAcquire("p", "a"), tryAcquire("q", "a"), tryAcquire("r", "b")]).toEqual([true, true, true]);
  locks.release("a");
  expect([tryAcquire("p", "c"), tryAcquire("q", "c"), tryAcquire("r", "c")]).toEqual([true, true, false]);
});

test("work for one key runs one after the other, also after a failure, and the key is forgotten", async () => {
  const lock = new KeyedMutex();
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const a = lock.run("x", async () => {
    await first.promise;
    done.push("a");
    throw new Error("no");
  });
  const b = lock.run("x", async () => void done.push("b"));
  await lock.run("y", async () => void done.push("y"));
  first.resolve();
  await expect(a).rejects.toThrow("no");
  await b;
  expect(done).toEqual(["y", "a", "b"]);
  await Promise.resolve();
  expect(lock.size).toBe(0);
});
