import { describe, expect, test } from "bun:test";
import { FakeClock, seededRandom } from "@csi-sidecars/base/testing";
import { itemExponential } from "./rate-limiters.ts";
import { RateLimitingQueue } from "./rate-limiting-queue.ts";

function setUp() {
  const clock = new FakeClock();
  return { clock, queue: new RateLimitingQueue({ clock, limiter: itemExponential(1_000, 300_000) }) };
}

describe("addAfter", () => {
  const cases: [name: string, first: number, second: number, firesAt: number][] = [
    ["a sooner time replaces a later one", 5_000, 1_000, 1_000],
    ["a later time never postpones", 1_000, 5_000, 1_000],
  ];
  test.each(cases)("%s", async (_, first, second, firesAt) => {
    const { clock, queue } = setUp();
    queue.addAfter("a", first);
    queue.addAfter("a", second);
    expect(queue.delayed).toBe(1);
    await clock.advance(firesAt - 1);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.take()).toBe("a");
    queue.done("a");
    await clock.advance(60_000);
    expect(queue.take()).toBeUndefined();
    expect(clock.waiting).toBe(0);
  });

  test("zero and less add at once", () => {
    const { queue } = setUp();
    queue.addAfter("a", 0);
    queue.addAfter("b", -1);
    expect([queue.take(), queue.take()]).toEqual(["a", "b"]);
  });

  test("keys come in the order of their times, and in the order they came at the same time", async () => {
    const { clock, queue } = setUp();
    for (const [key, ms] of [
      ["d", 30],
      ["b", 20],
      ["c", 20],
      ["a", 10],
    ] as const)
      queue.addAfter(key, ms);
    await clock.advance(30);
    expect(Array.from({ length: 4 }, () => queue.take())).toEqual(["a", "b", "c", "d"]);
  });

  test.each([1, 2, 3, 4, 5])("a thousand keys, some of them brought forward, come each at its time (seed %d)", async (seed) => {
    const { clock, queue } = setUp();
    const random = seededRandom(seed);
    const due = new Map<string, number>();
    for (let i = 0; i < 1_300; i++) {
      const [key, ms] = [`key-${i % 1_000}`, 1 + Math.floor(random() * 500)];
      queue.addAfter(key, ms);
      due.set(key, Math.min(due.get(key) ?? ms, ms));
    }
    expect(queue.delayed).toBe(1_000);
    for (let now = 0; now <= 500; now += 50) {
      await clock.advance(now === 0 ? 0 : 50);
      const taken = [];
      for (let key = queue.take(); key !== undefined; key = queue.take()) taken.push(key);
      for (const key of taken) queue.done(key);
      const times = taken.map((key) => due.get(key) ?? Number.NaN);
      const expected = [...due.values()].filter((at) => at > now - 50 && at <= now).sort((a, b) => a - b);
      expect(times).toEqual(expected);
    }
  });

  test("of two priorities the higher counts", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 10, "low");
    queue.addAfter("b", 10, "low");
    queue.addAfter("b", 20, "normal");
    await clock.advance(10);
    expect([queue.take(), queue.take()]).toEqual(["b", "a"]);
  });

  test("a key that is added directly meanwhile is not handed out twice at once", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 10);
    queue.add("a");
    expect(queue.take()).toBe("a");
    await clock.advance(10);
    expect(queue.take()).toBeUndefined();
    queue.done("a");
    expect(queue.take()).toBe("a");
  });

  test("one timer for any number of keys", () => {
    const { clock, queue } = setUp();
    for (let i = 1_000; i > 0; i--) queue.addAfter(`key-${i}`, i);
    expect(clock.waiting).toBe(1);
  });
});

test("a failing key waits twice as long each time; forget starts at the beginning but leaves a waiting addition", async () => {
  const { clock, queue } = setUp();
  for (const delay of [1_000, 2_000, 4_000]) {
    queue.addRateLimited("a");
    expect(clock.nextIn).toBe(delay);
    await clock.advance(delay);
    expect(queue.take()).toBe("a");
    queue.done("a");
  }
  expect(queue.numRequeues("a")).toBe(3);
  queue.addRateLimited("a");
  queue.forget("a");
  expect(queue.delayed).toBe(1);
  await clock.advance(8_000);
  expect(queue.take()).toBe("a");
  queue.addRateLimited("a");
  expect(clock.nextIn).toBe(1_000);
});

test("shutdown forgets delayed keys, hands out waiting ones and ignores new ones", async () => {
  const { clock, queue } = setUp();
  queue.add("now");
  queue.addAfter("later", 1_000);
  queue.shutDown();
  queue.addAfter("too late", 1_000);
  queue.addAfter("too late", 0);
  expect(clock.waiting).toBe(0);
  await clock.advance(5_000);
  expect([await queue.get(), await queue.get()]).toEqual(["now", undefined]);
});

test("keys that failed can be retried at once, as if they had not; others keep their time", async () => {
  const { clock, queue } = setUp();
  for (const key of ["late", "early"]) queue.addRateLimited(key);
  queue.addRateLimited("late");
  queue.addAfter("planned", 5_000);
  queue.retryNow();
  expect([queue.take(), queue.take(), queue.take()]).toEqual(["late", "early", undefined]);
  expect([queue.numRequeues("late"), queue.delayed, clock.nextIn]).toEqual([0, 1, 5_000]);
  await clock.advance(5_000);
  expect(queue.take()).toBe("planned");
});
