import { expect, test } from "bun:test";
import { asError } from "./as-error.ts";

test("an error stays itself", () => {
  const broken = new TypeError("broken");
  expect(asError(broken)).toBe(broken);
});

test("anything else becomes an error's message", () => {
  expect(asError("broken")).toEqual(new Error("broken"));
});
