import { expect, test } from "bun:test";
import { InternPool } from "./intern-pool.ts";

function use(pool: InternPool<object>, key: string): object {
  return pool.get(key) ?? pool.put(key, { key });
}

test("equal keys give one value", () => {
  const pool = new InternPool<object>();
  expect(use(pool, "a")).toBe(use(pool, "a"));
  expect(use(pool, "a")).not.toBe(use(pool, "b"));
});

test("a pool of values that never repeat gives up and holds nothing", () => {
  const pool = new InternPool<object>();
  const first = use(pool, "0");
  for (let i = 1; i < 600; i++) use(pool, `${i}`);
  expect(pool.open).toBe(false);
  expect(use(pool, "0")).not.toBe(first);
  expect(use(pool, "0")).not.toBe(use(pool, "0"));
});

test("values too big to intern count as misses, but a single one does not close the pool", () => {
  const pool = new InternPool<object>();
  pool.miss();
  expect(use(pool, "a")).toBe(use(pool, "a"));
  for (let i = 0; i < 600; i++) pool.miss();
  expect(pool.open).toBe(false);
});

test("a pool that was worth it starts over when it is full", () => {
  const pool = new InternPool<object>();
  const first = use(pool, "0");
  for (let i = 0; i < 600; i++) for (let n = 0; n < 6; n++) use(pool, `${i}`);
  expect(pool.open).toBe(true);
  expect(use(pool, "0")).not.toBe(first);
  expect(use(pool, "0")).toBe(use(pool, "0"));
});
