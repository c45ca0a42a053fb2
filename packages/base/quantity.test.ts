import { describe, expect, test } from "bun:test";
import { bytesOf, canonicalQuantity, formatBytes, parseQuantity } from "./quantity.ts";

describe("a quantity is stored in its canonical form", () => {
  const cases: [given: unknown, stored: string][] = [
    ["1Gi", "1Gi"],
    ["1024Mi", "1Gi"],
    ["1.5Gi", "1536Mi"],
    ["0.5Gi", "512Mi"],
    ["0.5Ki", "512"],
    ["1000k", "1M"],
    ["1000", "1k"],
    ["1e3", "1e3"],
    ["1e4", "10e3"],
    ["1500m", "1500m"],
    ["1073741824", "1073741824"],
    [1073741824, "1073741824"],
    ["0", "0"],
    ["1.0000000001", "1000000001n"],
    ["1.5Ki", "1536"],
    ["-1", "-1"],
    ["0.1", "100m"],
    ["1.1", "1100m"],
    ["4Ei", "4Ei"],
  ];
  test.each(cases)("%p is stored as %s", (given, stored) => {
    expect(canonicalQuantity(given)).toBe(stored);
  });
  test.each(["", "abc", "1 Gi", null, "--1"])("%p is refused", (given) => {
    expect(() => parseQuantity(given)).toThrow("quantities must match the regular expression");
  });
  test.each(["1K", "1iG", "1e"])("%p has no such suffix", (given) => {
    expect(() => parseQuantity(given)).toThrow("unable to parse quantity's suffix");
  });
});

describe("sizes", () => {
  test.each([
    ["1Gi", 1073741824n],
    ["5905580032", 5905580032n],
    ["1.5Gi", 1610612736n],
    ["1k", 1000n],
    ["1e3", 1000n],
    ["500m", 1n],
    ["0.5", 1n],
    [2048, 2048n],
    [undefined, 0n],
    ["8Ei", 2n ** 63n - 1n],
    ["nonsense", 0n],
  ])("%p is %p bytes", (quantity, bytes) => {
    expect(bytesOf(quantity)).toBe(bytes);
  });

  test.each([
    [5905580032n, "5632Mi"],
    [5970004541n, "5970004541"],
    [102400n, "100Ki"],
    [1000n, "1k"],
    [1024n, "1Ki"],
    [1n, "1"],
    [0n, "0"],
    [2n ** 60n, "1Ei"],
  ])("%p bytes are %p", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});
