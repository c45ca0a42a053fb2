import { expect, test } from "bun:test";
import { parseExactJson, stringifyExactJson } from "./exact-json.ts";
import { seededRandom } from "./testing/index.ts";

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
  [
    "digits of a string that looks like a member",
    '{"u":":1700000000123456789,","t":1700000000123456789}',
    { u: `:${nanoseconds},`, t: nanoseconds },
  ],
  ["the same twice", '{"t":1700000000123456789,"u":{"t":1700000000123456788}}', { t: nanoseconds, u: { t: nanoseconds - 1n } }],
  ["a member that is there twice", '{"t":1700000000123456789,"t":1700000000123456788}', { t: nanoseconds - 1n }],
  ["members beyond 64 bits, rounded", '{"t":9223372036854775808,"u":1700000000123456789}', { t: 2 ** 63, u: nanoseconds }],
  ["a name with an escape", '{"\\u0074":1700000000123456789}', { t: nanoseconds }],
  ["names that are numbers", '{"b":1700000000123456789,"1":1700000000123456788}', { b: nanoseconds, 1: nanoseconds - 1n }],
  ["a name that objects inherit", '{"constructor":1700000000123456789}', { constructor: nanoseconds }],
])("%s is read exactly", (_, text, value) => {
  expect(parseExactJson(text)).toStrictEqual(value);
});

test("what another object applied says nothing about the object", () => {
  const applied = '{"status":{"t":1700000000123456788}}';
  const text = JSON.stringify({ metadata: { annotations: { applied } }, status: { t: 1 } }).replace('"t":1}', '"t":1700000000123456789}');
  expect(parseExactJson(text)).toStrictEqual({ metadata: { annotations: { applied } }, status: { t: nanoseconds } });
});

test("random text is read as by a reviver of every value", () => {
  const random = seededRandom(20_261_116);
  const pick = <T>(...of: readonly T[]) => of[Math.floor(random() * of.length)] as T;
  const integer = () =>
    `${pick("", "-")}${pick(1, 9)}${Array.from({ length: pick(3, 15, 16, 18, 19) }, () => Math.floor(random() * 10)).join("")}`;
  const string = () => JSON.stringify(pick("a", "b", ":", ",", '"', "\\", `:${integer()},`, `"t":${integer()},`, `\\":${integer()}}`));
  const value = (depth: number): string => {
    const kind = depth > 4 ? pick("integer", "string") : pick("integer", "string", "list", "object", "object", "object");
    if (kind === "integer") return `${integer()}${pick("", "", "", ".5", "e1")}`;
    if (kind === "string") return string();
    const size = Math.floor(random() * 4);
    if (kind === "list") return `[${Array.from({ length: size }, () => value(depth + 1)).join(",")}]`;
    return `{${Array.from({ length: size }, () => `${string()}:${pick("", "", "", " ")}${value(depth + 1)}`).join(",")}}`;
  };
  const reviver = (_key: string, found: unknown, context?: { readonly source?: string }) => {
    if (typeof found !== "number" || Number.isSafeInteger(found) || !/^-?\d{1,19}$/.test(context?.source ?? "")) return found;
    return BigInt.asIntN(64, BigInt(context?.source ?? "")) === BigInt(context?.source ?? "") ? BigInt(context?.source ?? "") : found;
  };
  for (let i = 0; i < 3_000; i++) {
    const text = value(0);
    expect(parseExactJson(text), text).toStrictEqual(JSON.parse(text, reviver));
  }
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
