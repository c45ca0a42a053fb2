import { expect, test } from "bun:test";
import { isSameTarget, linkTarget, normalizeRemotePath, rootMappingPath } from "./remote-path.ts";

test.each([
  [String.raw`\\hostname\path`, String.raw`\\hostname\path`],
  ["\\\\hostname\\path\\", String.raw`\\hostname\path`],
  [String.raw`\\hostname\path\sub\folder`, String.raw`\\hostname\path`],
  ["//HostName/Path/Sub", String.raw`\\hostname\path`],
  [String.raw`\\\\hostname\\path`, String.raw`\\hostname\path`],
  [String.raw`hostname\path`, String.raw`\\hostname\path`],
])("the share of %s is %s", (path, root) => expect(rootMappingPath(path)).toBe(root));

test.each([[""], ["hostname"], ["\\\\hostname"], ["\\\\hostname\\"], ["\\\\"]])("%j names no share", (path) => {
  expect(() => rootMappingPath(path)).toThrow(
    expect.objectContaining({ code: "InvalidArgument", message: `remote path (${path}) is invalid` }),
  );
});

test("the separators are those of Windows", () => expect(normalizeRemotePath("//host/a/b")).toBe(String.raw`\\host\a\b`));

test("links end in one backslash", () => {
  for (const path of ["\\\\h\\s", "\\\\h\\s\\"]) expect(linkTarget(path)).toBe("\\\\h\\s\\");
});

test.each([
  ["\\\\h\\s\\", "\\\\h\\s", true],
  ["\\\\H\\S\\A", "\\\\h\\s\\a\\", true],
  ["\\\\?\\UNC\\h\\s\\", "\\\\h\\s\\", true],
  ["\\\\h\\s\\a", "\\\\h\\s\\b", false],
  ["\\\\h\\s\\a", "\\\\h\\s\\", false],
])("%s is %s: %p", (one, other, isSame) => expect(isSameTarget(one, other)).toBe(isSame));
