import { expect, test } from "bun:test";
import { sharedString } from "./shared-string.ts";

test.each(["", "pvc-1", "__proto__", "constructor", "toString", "ä".repeat(100)])("%p is unchanged", (value) => {
  expect(sharedString(value)).toBe(value);
  expect(sharedString(JSON.parse(JSON.stringify(value)))).toBe(value);
});
