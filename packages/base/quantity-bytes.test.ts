import { describe, expect, test } from "bun:test";
import { bytesOf, formatBytes } from "./quantity-bytes.ts";

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
