import { describe, expect, test } from "bun:test";
import { beginningOf } from "./beginning.ts";
import { heapGrowth } from "./testing/heap-growth.ts";

describe("the beginning of a text", () => {
  test.each([
    ["", 3, ""],
    ["abc", 3, "abc"],
    ["abcd", 3, "abc"],
    ["äöü€", 3, "äöü"],
    ["a😀", 2, "a\ufffd"],
  ])("of %p up to %d characters is %p", (text, length, expected) => expect(beginningOf(text, length)).toBe(expected));

  test("does not keep the rest of it", () => {
    const long = (n: number) => `${n} ${Buffer.alloc(64 * 1024, "a")}`;
    expect(heapGrowth(() => Array.from({ length: 500 }, (_, n) => beginningOf(long(n), 100)))).toBeLessThan(4 * 1024 * 1024);
  });
});
