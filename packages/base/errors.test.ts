import { expect, test } from "bun:test";
import { asError, messageOf, messageWithCause, systemErrorCode } from "./errors.ts";

test.each([
  ["an error", new Error("broken"), "broken", "broken"],
  ["one with its cause", new Error("broken", { cause: new Error("rust") }), "broken", "broken: rust"],
  ["one whose cause is none", new Error("broken", { cause: "rust" }), "broken", "broken"],
  ["something else", "broken", "broken", "broken"],
])("%s", (_, error, alone, withCause) => {
  expect([messageOf(error), messageWithCause(error)]).toEqual([alone, withCause]);
});

test("an error stays itself", () => {
  const broken = new TypeError("broken");
  expect(asError(broken)).toBe(broken);
});

test("anything else becomes an error's message", () => {
  expect(asError("broken")).toEqual(new Error("broken"));
});

test.each([
  ["a file that is not there", Object.assign(new Error("no such file"), { code: "ENOENT" }), "ENOENT"],
  ["a program's exit status", Object.assign(new Error("failed"), { code: 1 }), undefined],
  ["an error without code", new Error("broken"), undefined],
  ["something else", { code: "ENOENT" }, undefined],
])("%s", (_, error, code) => {
  expect(systemErrorCode(error)).toBe(code);
});
