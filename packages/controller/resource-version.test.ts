import { expect, test } from "bun:test";
import { isLaterVersion, isNewer } from "./resource-version.ts";

test.each<[string, string, boolean]>([
  ["2", "1", true],
  ["1", "1", false],
  ["1", "2", false],
  ["10", "9", true],
  ["9", "10", false],
  ["18446744073709551615", "18446744073709551614", true],
])("version %s comes after %s: %s", (version, other, later) => {
  expect(isLaterVersion(version, other)).toBe(later);
});

test("an object that took the name of another is no later state of it", () => {
  const at = (uid: string, resourceVersion: string) => ({ metadata: { name: "x", uid, resourceVersion } });
  expect([isNewer(at("a", "2"), at("a", "1")), isNewer(at("b", "2"), at("a", "1"))]).toEqual([true, false]);
});
