import { expect, test } from "bun:test";
import { parseExactJson, stringifyExactJson } from "./exact-json.ts";

const nanoseconds = 1_700_000_000_123_456_789n;

test.each<[what: string, text: string, value: unknown]>([
  ["a time in nanoseconds", '{"t":1700000000123456789}', { t: nanoseconds }],
  ["an item of a list", "[1,1700000000123456789]", [1, nanoseconds]],
  ["a negative one", '{"t":-1700000000123456789}', { t: -nanoseconds }],
  ["text with spaces", '{ "t" :\n 1700000000123456789 }', { t: nanoseconds }],
  ["a number alone", "1700000000123456789", nanoseconds],
  ["the biggest number", "[9007199254740991,9007199254740992]", [9_007_199_254_740_991, 9_007_199_254_740_992n]],
  ["the smallest number", "[-9007199254740991,-9007199254740992]", [-9_007_199_254_740_991, -9_007_199_254_740_992n]],
  ["the limits of 64 bits", "[9223372036854775807,-9223372036854775808]", [2n ** 63n - 1n, -(2n ** 63n)]],
  ["an integer beyond 64 bits, rounded", "[9223372036854775808]", [2 ** 63]],
  ["a fraction and an exponent", "[1700000000123456789.5,1700000000123456789e0]", [1_700_000_000_123_456_800, 1_700_000_000_123_456_800]],
  ["digits in a string", '{"t":"1700000000123456789","u":",1700000000123456789"}', { t: `${nanoseconds}`, u: `,${nanoseconds}` }],
  ["a name that objects inherit", '{"constructor":1700000000123456789}', { constructor: nanoseconds }],
])("%s is read exactly", (_, text, value) => {
  expect(parseExactJson(text)).toStrictEqual(value);
});

test("an integer of forty million digits is read once", () => {
  expect(parseExactJson(`[${"7".repeat(40_000_000)}]`)).toEqual([Number.POSITIVE_INFINITY]);
});

test("a member called __proto__ is a member", () => {
  const parsed = parseExactJson('{"__proto__":{"t":1700000000123456789}}') as object;
  expect(Object.entries(parsed)).toEqual([["__proto__", { t: nanoseconds }]]);
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
});

test.each<[value: unknown, text: string]>([
  [{ t: nanoseconds, n: 1, s: "1n" }, '{"t":1700000000123456789,"n":1,"s":"1n"}'],
  [[-nanoseconds, null, { u: undefined }], "[-1700000000123456789,null,{}]"],
  [5n, "5"],
  [{ a: [1.5] }, '{"a":[1.5]}'],
])("%p is written with all digits", (value, text) => {
  expect(stringifyExactJson(value)).toBe(text);
});

test("what cannot be written is still an error", () => {
  const cycle: { self?: unknown; t: bigint } = { t: nanoseconds };
  cycle.self = cycle;
  expect(() => stringifyExactJson(cycle)).toThrow(/cyclic/i);
  expect(() => parseExactJson('{"t":1700000000123456789')).toThrow(SyntaxError);
});
