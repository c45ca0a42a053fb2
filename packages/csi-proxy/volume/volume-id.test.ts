import { describe, expect, test } from "bun:test";
import { isSameVolume, volumeIdOf, volumeLockKey } from "./volume-id.ts";

const id = "\\\\?\\Volume{452e318a-5cde-421e-9831-b9853c521012}\\";

describe("volumeIdOf", () => {
  test.each<[string, string, string | undefined]>([
    ["as Windows writes it", id, id],
    ["of a mount point", "Volume{452e318a-5cde-421e-9831-b9853c521012}\\", id],
    ["of the object manager", "\\??\\Volume{452e318a-5cde-421e-9831-b9853c521012}\\", id],
    ["without the backslash", "\\\\?\\Volume{452e318a-5cde-421e-9831-b9853c521012}", id],
    ["a path inside the volume", `${id}data`, undefined],
    ["a directory of that name", "C:\\Volume{452e318a-5cde-421e-9831-b9853c521012}\\", undefined],
    ["a drive", "C:\\", undefined],
    ["empty", "", undefined],
  ])("%s", (_, path, expected) => {
    expect(volumeIdOf(path)).toBe(expected as string);
  });
});

test("volumes are the same in whatever form and case they are named", () => {
  expect(isSameVolume(id, id.toUpperCase())).toBe(true);
  expect(isSameVolume(id, id.slice(4, -1))).toBe(true);
  expect(isSameVolume(id, id.replace("452e", "452f"))).toBe(false);
  expect(volumeLockKey(id.slice(0, -1))).toBe(volumeLockKey(id.toUpperCase()));
  expect(volumeLockKey("-1")).toBe("volume:-1");
});
