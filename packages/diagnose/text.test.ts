import { expect, test } from "bun:test";
import { age, alignColumns, listed, plain } from "./text.ts";

test("foreign text becomes one line of limited length", () => {
  expect(plain("a\r\n\tb\x1b]0;x\x07c ")).toBe("a b ]0;x c");
  expect(plain("x".repeat(5_000)).length).toBeLessThan(700);
  expect(listed(["a", "b", "c"])).toBe("a, b and c");
  expect(listed(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more");
});

test.each<[number, string]>([
  [0, "0s"],
  [90, "90s"],
  [125, "2m"],
  [7_300, "2h"],
  [200_000, "2d"],
])("%p seconds are %s", (seconds, words) => expect(age(seconds * 1000, new Date(0).toISOString())).toBe(words));

test("columns are as wide as their widest cell", () => {
  expect(
    alignColumns([
      ["A", "LONG", "C"],
      ["aaa", "b", ""],
    ]),
  ).toEqual(["A    LONG  C", "aaa  b"]);
});
