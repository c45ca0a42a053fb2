import { expect, test } from "bun:test";
import { systemErrorCode } from "./system-error.ts";

test.each([
  ["a file that is not there", Object.assign(new Error("no such file"), { code: "ENOENT" }), "ENOENT"],
  ["a program's exit status", Object.assign(new Error("failed"), { code: 1 }), undefined],
  ["an error without code", new Error("broken"), undefined],
  ["something else", { code: "ENOENT" }, undefined],
])("%s", (_, error, code) => {
  expect(systemErrorCode(error)).toBe(code);
});
