import { expect, test } from "bun:test";
import { isRecord } from "./is-record.ts";

test.each([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ["text", false],
])("%p: %p", (value, expected) => {
  expect(isRecord(value)).toBe(expected);
});
