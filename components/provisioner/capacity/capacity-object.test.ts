import { expect, test } from "bun:test";
import { joined, managedBy } from "./capacity-object.ts";

const node = (length: number) => `node${"a".repeat(length)}`;

test.each([
  [undefined, "external-provisioner"],
  ["node", "external-provisioner-node"],
  [node(38), `external-provisioner-${node(38)}`],
  [node(39), `external-p-53f40b57-${node(39)}`],
  [node(48), `e-53f40b57-${node(48)}`],
  [node(49), "external-provisioner-a3607ff1"],
  [node(63), "external-provisioner-df38e37f"],
])("node %s: %s", (name, expected) => {
  expect(managedBy(name)).toBe(expected);
  expect(managedBy(name).length).toBeLessThanOrEqual(63);
});

test("an empty prefix", () => {
  expect(joined("", "node")).toBe("-node");
  expect(joined("", "a".repeat(63))).toMatch(/^-[0-9a-f]{8}$/);
});
