import { describe, expect, test } from "bun:test";
import { FakeClock, seededRandom } from "@csi-sidecars/base/testing";
import { normalKeysPerLowKey, WorkQueue } from "./work-queue.ts";

const takeAll = (queue: WorkQueue): string[] => {
  const keys: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) {
    keys.push(key);
    queue.done(key);
  }
  return keys;
};

describe("handing out", () => {
  test("a key added three times is handed out once", () => {
    const queue = new WorkQueue();
    for (let i = 0; i < 3; i++) queue.add("a");
    expect(takeAll(queue)).toEqual(["a"]);
  });

  test("a key added while it is processed is handed out exactly once more, after done", () => {
    const queue = new WorkQueue();
    queue.add("a");
    expect(queue.take()).toBe("a");
    for (let i = 0; i < 3; i++) queue.add("a");
    expect(queue.take()).toBeUndefined();
    expect([queue.length, queue.depth, queue.processing]).toEqual([0, 1, 1]);
    queue.done("a");
    expect(takeAll(queue)).toEqual(["a"]);
    expect([queue.length, queue.depth, queue.processing]).toEqual([0, 0, 0]);
  });

  test("done of a key that is not being processed changes nothing", () => {
    const queue = new WorkQueue();
    queue.add("a");
    queue.done("a");
    queue.done("b");
    expect(takeAll(queue)).toEqual(["a"]);
  });

  test("get waits for a key; each waiter gets another one", async () => {
    const queue = new WorkQueue();
    const both = Promise.all([queue.get(), queue.get()]);
    queue.add("a");
    queue.add("b");
    expect(await both).toEqual(["a", "b"]);
  });
});

describe("priority levels", () => {
  const cases: [name: string, adds: [string, "normal" | "low"][], order: string[]][] = [
    [
      "first in, first out",
      [
        ["a", "normal"],
        ["b", "normal"],
        ["c", "normal"],
      ],
      ["a", "b", "c"],
    ],
    [
      "new work before resync",
      [
        ["a", "low"],
        ["b", "low"],
        ["c", "normal"],
      ],
      ["c", "a", "b"],
    ],
    [
      "added again with a higher priority it moves up",
      [
        ["a", "low"],
        ["b", "low"],
        ["c", "normal"],
        ["b", "normal"],
      ],
      ["c", "b", "a"],
    ],
    [
      "added again with a lower priority it stays",
      [
        ["a", "normal"],
        ["b", "normal"],
        ["a", "low"],
      ],
      ["a", "b"],
    ],
  ];
  test.each(cases)("%s", (_, adds, order) => {
    const queue = new WorkQueue();
    for (const [key, priority] of adds) queue.add(key, priority);
    expect(takeAll(queue)).toEqual(order);
  });

  test("a key processed when it is added as resync and as work comes back as work", () => {
    const queue = new WorkQueue();
    queue.add("a");
    queue.take();
    queue.add("a", "low");
    queue.add("b", "low");
    queue.add("a", "normal");
    queue.done("a");
    expect(takeAll(queue)).toEqual(["a", "b"]);
  });

  test("an endless stream of new work does not starve the resync", () => {
    const queue = new WorkQueue();
    queue.add("resync", "low");
    for (let i = 0; i < 100; i++) queue.add(`new-${i}`);
    expect(takeAll(queue).indexOf("resync")).toBe(normalKeysPerLowKey);
  });
});

describe("shutting down", () => {
  test("what waits is handed out, then undefined; additions are ignored", async () => {
    const queue = new WorkQueue();
    queue.add("a");
    queue.add("b");
    queue.shutDown();
    queue.add("c");
    expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(["a", "b", undefined]);
  });

  test("waiters are released", async () => {
    const queue = new WorkQueue();
    const waiting = queue.get();
    queue.shutDown();
    expect(await waiting).toBeUndefined();
  });

  test("a drain lasts until everything handed out is done", async () => {
    const queue = new WorkQueue();
    queue.add("a");
    queue.add("b");
    queue.take();
    queue.take();
    let drained = false;
    const drain = queue.shutDownWithDrain().then(() => {
      drained = true;
    });
    queue.done("a");
    await Promise.resolve();
    expect(drained).toBe(false);
    queue.done("b");
    await drain;
    expect(drained).toBe(true);
  });

  test("a drain with nothing handed out ends at once, and a second shutdown ends a drain", async () => {
    const idle = new WorkQueue();
    idle.add("a");
    await idle.shutDownWithDrain();
    const busy = new WorkQueue();
    busy.add("a");
    busy.take();
    const drain = busy.shutDownWithDrain();
    busy.shutDown();
    await drain;
  });
});

test("ages: oldest waiting, running sum and longest", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  expect(queue.oldestWaitingMs()).toBe(0);
  queue.add("a");
  await clock.advance(1_000);
  queue.add("b");
  await clock.advance(500);
  expect(queue.oldestWaitingMs()).toBe(1_500);
  queue.take();
  await clock.advance(2_000);
  queue.take();
  await clock.advance(1_000);
  expect(queue.runningMs()).toEqual({ sum: 4_000, longest: 3_000 });
});

/** Says the same as the queue, in the plainest way: arrays and linear search. */
class Model {
  waiting: { key: string; low: boolean }[] = [];
  processing = new Set<string>();
  again = new Map<string, boolean>();
  normalInARow = 0;

  add(key: string, low: boolean): void {
    const waiting = this.waiting.find((w) => w.key === key);
    if (waiting) {
      if (!waiting.low || low) return;
      this.waiting = [...this.waiting.filter((w) => w !== waiting), { key, low: false }];
    } else if (this.processing.has(key)) {
      this.again.set(key, (this.again.get(key) ?? true) && low);
    } else {
      this.waiting.push({ key, low });
    }
  }

  take(): string | undefined {
    const low = this.waiting.find((w) => w.low);
    const normal = this.waiting.find((w) => !w.low);
    const lowTurn = low && (!normal || this.normalInARow >= normalKeysPerLowKey);
    this.normalInARow = lowTurn || !low ? 0 : this.normalInARow + 1;
    const next = lowTurn ? low : normal;
    if (!next) return undefined;
    this.waiting = this.waiting.filter((w) => w !== next);
    this.processing.add(next.key);
    return next.key;
  }

  done(key: string): void {
    if (!this.processing.delete(key)) return;
    const low = this.again.get(key);
    this.again.delete(key);
    if (low !== undefined) this.waiting.push({ key, low });
  }
}

test("any sequence of operations does what the model does", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const queue = new WorkQueue();
    const model = new Model();
    for (let step = 0; step < 400; step++) {
      const key = `key-${Math.floor(random() * 30)}`;
      const dice = random();
      if (dice < 0.5) {
        const low = random() < 0.5;
        queue.add(key, low ? "low" : "normal");
        model.add(key, low);
      } else if (dice < 0.75) {
        expect([seed, step, queue.take()]).toEqual([seed, step, model.take()]);
      } else {
        queue.done(key);
        model.done(key);
      }
      expect(queue.processing).toBe(model.processing.size);
      expect(queue.length).toBe(model.waiting.length);
      expect(queue.depth).toBe(model.waiting.length + model.again.size);
    }
  }
});
