import { expect, test } from "bun:test";
import { messageOf, messageWithCause } from "./error-message.ts";

test.each([
  ["an error", new Error("broken"), "broken", "broken"],
  ["one with its cause", new Error("broken", { cause: new Error("rust") }), "broken", "broken: rust"],
  ["one whose cause is none", new Error("broken", { cause: "rust" }), "broken", "broken"],
  ["something else", "broken", "broken", "broken"],
])("%s", (_, error, alone, withCause) => {
  expect([messageOf(error), messageWithCause(error)]).toEqual([alone, withCause]);
});
