import { describe, expect, test } from "bun:test";
import { Locks } from "./locks.ts";

/** Starts named works on locks and tells what runs together, turn by turn. */
function stage(locks: Locks) {
  const running = new Map<string, () => void>();
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  return {
    start: (name: string, ...keys: string[]) =>
      locks
        .run(
          keys.map((key) => ({ key: key.replace("?", ""), shared: key.endsWith("?") })),
          () => new Promise<void>((end) => running.set(name, end)),
        )
        .catch((error: Error) => error.message),
    async running() {
      await settled();
      return [...running.keys()].sort().join(" ");
    },
    end(name: string) {
      running.get(name)?.();
      running.delete(name);
    },
  };
}

describe("locks", () => {
  test("one at a time changes a thing, in the order of coming; others are not held up", async () => {
    const s = stage(new Locks());
    for (const name of ["a1", "a2", "a3"]) s.start(name, "a");
    s.start("b1", "b");
    expect(await s.running()).toBe("a1 b1");
    s.end("a1");
    expect(await s.running()).toBe("a2 b1");
    s.end("a2");
    expect(await s.running()).toBe("a3 b1");
  });

  test("readers go together, and a writer is not overtaken forever", async () => {
    const s = stage(new Locks());
    s.start("r1", "a?");
    s.start("r2", "a?");
    s.start("w", "a");
    s.start("r3", "a?");
    s.start("r4", "a?");
    expect(await s.running()).toBe("r1 r2");
    s.end("r1");
    s.end("r2");
    expect(await s.running()).toBe("w");
    s.end("w");
    expect(await s.running()).toBe("r3 r4");
  });

  test("several things at once never wait in a circle", async () => {
    const s = stage(new Locks());
    s.start("first", "a", "b");
    s.start("second", "b", "a");
    expect(await s.running()).toBe("first");
    s.end("first");
    expect(await s.running()).toBe("second");
  });

  test("a thing named twice is no reason to wait for oneself", async () => {
    const s = stage(new Locks());
    s.start("only", "a", "a");
    expect(await s.running()).toBe("only");
  });

  test("where nobody waits, the second is told ABORTED and what it held is free again", async () => {
    const locks = new Locks();
    locks.policy = "aborted";
    const s = stage(locks);
    s.start("first", "b");
    expect(await s.start("second", "a", "b")).toContain("code = Aborted desc = an operation is already in progress for b");
    s.start("third", "a");
    expect(await s.running()).toBe("first third");
  });
});
