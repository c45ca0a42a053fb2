import { expect, test } from "bun:test";
import { LruCache } from "./lru-cache.ts";

function cacheOf(limit: () => number) {
  const cache = new LruCache<string, number>(limit);
  const set = (...keys: string[]) => {
    for (const key of keys) cache.set(key, key.charCodeAt(0));
  };
  const has = (...keys: string[]) => keys.filter((key) => cache.get(key) !== undefined).join("");
  return { cache, set, has };
}

test("a new entry takes the place of the one that was not used for longest", () => {
  const { cache, set, has } = cacheOf(() => 3);
  set("a", "b", "c");
  cache.get("a");
  cache.set("b", 1);
  set("d");
  expect(has("a", "b", "c", "d")).toBe("abd");
  expect(cache.get("b")).toBe(1);
});

test("a key that was evicted may come again", () => {
  const { set, has } = cacheOf(() => 2);
  for (let i = 0; i < 10; i++) set("a", "b", "c");
  expect(has("a", "b", "c")).toBe("bc");
});

test("the limit may shrink", () => {
  let limit = 4;
  const { set, has } = cacheOf(() => limit);
  set("a", "b", "c", "d");
  limit = 2;
  set("e");
  expect(has("a", "b", "c", "d", "e")).toBe("de");
});
