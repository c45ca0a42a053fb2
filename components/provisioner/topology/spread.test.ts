import { expect, test } from "bun:test";
import { fnv1, fnv1a } from "./fnv.ts";
import { spreadStart } from "./spread.ts";

test.each([
  ["testset", 1633848515],
  ["testpvc", 1684622678],
  ["web", 1181096325],
  ["", 2166136261],
])("FNV-1 of %p", (text, hash) => {
  expect(fnv1(text)).toBe(hash);
});

test("FNV-1a is the other one", () => {
  expect(fnv1a("external-provisioner").toString(16)).toBe("53f40b57");
});

test.each([
  ["testpvcA-testset-1", 4, 0],
  ["testpvcB-testset-1", 4, 0],
  ["testset-2", 4, 1],
  ["testpvc-testset-3", 4, 2],
  ["testpvc-testset-4", 4, 3],
  ["testpvc-testset-5", 4, 0],
  ["testpvc", 3, 2],
  ["testpvc", 2, 0],
  ["testpvc", 1, 0],
  ["data-web-1", 3, 1],
  ["web-4294967295", 4, ((1181096325 + 4294967295) % 2 ** 32) % 4],
])("claim %s, %i places: begins at %i", (name, places, start) => {
  expect(spreadStart(name, places, () => 0.99)).toBe(start);
});

test.each(["web-", "web-x", "web-1x", "web-+1", "web-4294967296"])("%s has no ordinal: its whole name counts", (name) => {
  expect(spreadStart(name, 1009, () => 0)).toBe(fnv1(name) % 1009);
});

test("a claim without a name begins anywhere", () => {
  expect(spreadStart("", 4, () => 0.6)).toBe(2);
});
