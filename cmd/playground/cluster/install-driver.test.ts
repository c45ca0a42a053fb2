import { expect, test } from "bun:test";
import { includes } from "./install-driver.ts";

test.each([
  [{ a: 1, b: 2 }, { a: 1 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{}, { a: false }, false],
  [{ spec: { drivers: [{ name: "d", nodeID: "n", topologyKeys: [] }] } }, { spec: { drivers: [{ name: "d", nodeID: "n" }] } }, true],
  [{ spec: { drivers: [{ name: "d", nodeID: "other" }] } }, { spec: { drivers: [{ name: "d", nodeID: "n" }] } }, false],
  [{ keys: ["a", "b"] }, { keys: ["a"] }, false],
  [{ keys: null }, { keys: [] }, false],
])("%p includes %p: %p", (whole, part, expected) => {
  expect(includes(whole, part)).toBe(expected);
});
