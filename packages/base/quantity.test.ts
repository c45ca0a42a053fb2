import { describe, expect, test } from "bun:test";
import { canonicalQuantity, parseQuantity } from "./quantity.ts";

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
