import { expect, test } from "bun:test";
import { goQuote } from "./go-quote.ts";
import { message } from "./message.ts";

const tooSmall = message((wanted: bigint, least: bigint) => `size ${wanted} is less than [${least}]`);

test("a message is written with its parts", () => {
  expect(tooSmall(1n, 2n)).toBe("size 1 is less than [2]");
});

test.each<[string, boolean]>([
  ["size 1 is less than [2]", true],
  ["failed: size 1\n is less than [2], retrying", true],
  ["size 1 is less than 2", false],
  ["size of 1", false],
  ["", false],
])("%p has the message in it: %p", (text, found) => expect(tooSmall.isIn(text)).toBe(found));

test("a text that starts the message over and over is read once", () => {
  expect(tooSmall.isIn("size ".repeat(200_000))).toBe(false);
});

test("a message without parts", () => {
  const unsupported = message(() => "claim Selector is not supported");
  expect(unsupported.isIn(`x ${unsupported()} y`)).toBe(true);
  expect(unsupported.isIn("claim selector")).toBe(false);
});

test("a message that quotes its parts, and is quoted itself", () => {
  const missing = message((name: string) => `class ${goQuote(name)} not found`);
  expect(missing.isIn(`failed: ${goQuote(`no input: ${goQuote(missing('a "b"'))}`)}`)).toBe(true);
  expect(missing.isIn("class a not found")).toBe(false);
});

test("the parts of a message in a text", () => {
  const moved = message((pods: string, node: string) => `pods [ ${pods} ] are now on ${node}`);
  expect(moved.partsIn(`first: ${moved("a b", "n-1")}`)).toEqual(["a b", "n-1"]);
  expect(tooSmall.partsIn("failed: size 1 is less than [2], retrying")).toEqual(["1", "2"]);
  expect(message(() => "no parts").partsIn("x no parts y")).toEqual([]);
  expect(moved.partsIn("pods [ a ] are gone")).toBeUndefined();
});
