import { describe, expect, test } from "bun:test";
import type { Parsed } from "./flag.ts";
import {
  formatDuration,
  parseBool,
  parseByteSize,
  parseDuration,
  parseFloat64,
  parseGateSettings,
  parseInteger,
  parseLabels,
  parseLevel,
  parseList,
  parseUnsigned,
  parseVmodule,
} from "./parse-values.ts";

const value = (result: Parsed<unknown>) => (result.ok ? result.value : result.problem);

describe("durations", () => {
  test.each([
    ["300ms", 300, "300ms"],
    ["15s", 15_000, "15s"],
    ["1.5h", 5_400_000, "1h30m0s"],
    ["2h45m", 9_900_000, "2h45m0s"],
    ["1m30s", 90_000, "1m30s"],
    ["1.1s", 1_100, "1.1s"],
    ["-2s", -2_000, "-2s"],
    ["+5m", 300_000, "5m0s"],
    ["0", 0, "0s"],
    ["-0", 0, "0s"],
    ["0s", 0, "0s"],
    ["10us", 0.01, "10µs"],
    ["10µs", 0.01, "10µs"],
    ["7ns", 0.000_007, "7ns"],
    [".5s", 500, "500ms"],
    ["1200s", 1_200_000, "20m0s"],
    ["1.000000001s", 1_000.000_001, "1.000000001s"],
    ["61m1.25s", 3_661_250, "1h1m1.25s"],
  ])("%s is %d ms and printed %s", (text, ms, printed) => {
    expect(value(parseDuration(text))).toBe(ms);
    expect(formatDuration(ms)).toBe(printed);
  });

  test.each([
    ["30", 'missing unit in duration "30": write 30s for seconds'],
    ["1.5", 'missing unit in duration "1.5": write 1.5s for seconds'],
    ["", 'invalid duration "": write it as 300ms, 15s or 1m30s'],
    ["s", 'invalid duration "s": write it as 300ms, 15s or 1m30s'],
    ["5 s", 'invalid duration "5 s": write it as 300ms, 15s or 1m30s'],
    ["1d", 'invalid duration "1d": write it as 300ms, 15s or 1m30s'],
    ["1m30", 'invalid duration "1m30": write it as 300ms, 15s or 1m30s'],
    ["3000000h", "value out of range"],
  ])("%p is refused", (text, problem) => {
    expect(parseDuration(text)).toEqual({ ok: false, problem });
  });
});

describe("numbers", () => {
  test.each([
    ["0", 0],
    ["-1", -1],
    ["+7", 7],
    ["0x1F", 31],
    ["0o17", 15],
    ["017", 15],
    ["0_17", 15],
    ["0b101", 5],
    ["1_000", 1_000],
    ["-0x10", -16],
  ])("int %s is %d", (text, expected) => {
    expect(value(parseInteger(text))).toBe(expected);
  });

  test.each(["", "abc", "1.5", "1__0", "_1", "1_", "08", "018", "0x", " 1", "1e3"])("int %p is refused", (text) => {
    expect(parseInteger(text)).toEqual({ ok: false, problem: `"${text}" is not a whole number` });
  });

  test("numbers beyond what can be held exactly are refused", () => {
    expect(value(parseInteger("9007199254740993"))).toBe("value out of range");
    expect(value(parseUnsigned("4294967296", 32))).toBe("value out of range");
    expect(value(parseUnsigned("4294967295", 32))).toBe(4_294_967_295);
  });

  test.each(["-1", "+1"])("uint %s is refused", (text) => {
    expect(value(parseUnsigned(text))).toBe(`"${text}" is not a whole number without sign`);
  });

  test.each([
    ["5", 5],
    ["-1", -1],
    ["0.5", 0.5],
    ["1e3", 1_000],
    [".25", 0.25],
    ["nan", '"nan" is not a number'],
    ["", '"" is not a number'],
    ["1e999", "value out of range"],
  ])("float %s is %p", (text, expected) => {
    expect(value(parseFloat64(text))).toBe(expected);
  });

  test("booleans are Go's twelve words", () => {
    for (const word of ["1", "t", "T", "TRUE", "true", "True"]) expect(value(parseBool(word))).toBe(true);
    for (const word of ["0", "f", "F", "FALSE", "false", "False"]) expect(value(parseBool(word))).toBe(false);
    for (const word of ["yes", "", "tRUE", "on"]) expect(value(parseBool(word))).toBe(`"${word}" is neither true nor false`);
  });

  test.each([
    ["512", 512],
    ["1k", 1_000],
    ["2Ki", 2_048],
    ["1.5Mi", 1_572_864],
    ["3M", 3_000_000],
    ["4e3", 4_000],
    ["-1", "write a number of bytes: 512, 1k, 2Ki, 3M or 4Mi"],
    ["x", "write a number of bytes: 512, 1k, 2Ki, 3M or 4Mi"],
  ])("quantity %s is %p bytes", (text, expected) => {
    expect(value(parseByteSize(text))).toBe(expected);
  });
});

describe("lists and pairs", () => {
  test("a list trims its items and drops empty ones", () => {
    expect(value(parseList(" a, ,b,"))).toEqual(["a", "b"]);
  });

  test.each([
    ["a:b", new Map([["a", "b"]])],
    [
      "a:b,c:",
      new Map([
        ["a", "b"],
        ["c", ""],
      ]),
    ],
    [" a: b", new Map([[" a", " b"]])],
    ["", "malformed item in list of labels: "],
    ["a:b,", "malformed item in list of labels: "],
    ["a:b:c", "malformed item in list of labels: a:b:c"],
    ["ab", "malformed item in list of labels: ab"],
  ] as const)("labels %p", (text, expected) => {
    expect(value(parseLabels(text))).toEqual(expected);
  });

  test.each([
    [
      "A=true,B=false",
      new Map([
        ["A", true],
        ["B", false],
      ]),
    ],
    [
      " A = true ,, B=0",
      new Map([
        ["A", true],
        ["B", false],
      ]),
    ],
    ["", new Map()],
    ["A", 'malformed pair, expect string=bool: "A"'],
    ["A=maybe", 'invalid value of A: maybe, err: "maybe" is neither true nor false'],
  ] as const)("feature gates %p", (text, expected) => {
    expect(value(parseGateSettings(text))).toEqual(expected);
  });

  test.each([
    [
      "attacher*=4,csi=5,",
      [
        { pattern: "attacher*", verbosity: 4 },
        { pattern: "csi", verbosity: 5 },
      ],
    ],
    ["a", '"a" does not have the pattern=N format'],
    ["=1", '"=1" does not have the pattern=N format'],
    ["a=-1", 'parsing verbosity in "a=-1": "-1" is not a verbosity: write a whole number such as 5'],
    ["a=2147483648", 'parsing verbosity in "a=2147483648": value out of range'],
  ] as const)("vmodule %p", (text, expected) => {
    expect(value(parseVmodule(text))).toEqual(expected as unknown);
  });

  test("a verbosity is read in decimal", () => {
    expect(value(parseLevel("010"))).toBe(10);
    expect(value(parseLevel("2147483647"))).toBe(2_147_483_647);
    expect(parseLevel("0x5").ok).toBe(false);
  });
});
