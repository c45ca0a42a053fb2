import { expect, test } from "bun:test";
import { trim, trimRight } from "./trim.ts";

test.each([
  ["", "", ""],
  ["/", "", ""],
  ["///", "", ""],
  ["a", "a", "a"],
  ["/a//b//", "a//b", "/a//b"],
  ["a/ ", "a/ ", "a/ "],
])("trims %j", (text, both, right) => {
  expect([trim(text, "/"), trimRight(text, "/")]).toEqual([both, right]);
});
