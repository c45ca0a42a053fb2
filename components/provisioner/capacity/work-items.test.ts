import { expect, test } from "bun:test";
import { termOf } from "../topology/term.ts";
import { type CapacityClass, cachedDesiredItems, desiredItems } from "./work-items.ts";

const storageClass = (name: string, more: Partial<CapacityClass> = {}): CapacityClass => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion: "1" },
  provisioner: "driver",
  parameters: undefined,
  volumeBindingMode: "WaitForFirstConsumer",
  ...more,
});
const zones = [termOf({ zone: "1" }), termOf({ zone: "2" })];
const keys = (classes: readonly CapacityClass[], immediateBinding = false, terms = zones) => [
  ...desiredItems(classes, terms, { driver: "driver", immediateBinding }).keys(),
];

test.each([
  ["late binding", storageClass("a"), false, 2],
  ["no binding mode", storageClass("a", { volumeBindingMode: undefined }), false, 2],
  ["immediate binding", storageClass("a", { volumeBindingMode: "Immediate" }), false, 0],
  ["immediate binding with the flag", storageClass("a", { volumeBindingMode: "Immediate" }), true, 2],
  ["another driver's class", storageClass("a", { provisioner: "other" }), true, 0],
] as const)("%s: %#", (_, given, immediate, expected) => {
  expect(keys([given], immediate)).toHaveLength(expected);
});

test("every class has every topology, and each topology counts once", () => {
  expect(keys([storageClass("a"), storageClass("b")])).toEqual([
    '["a","zone","1"]',
    '["a","zone","2"]',
    '["b","zone","1"]',
    '["b","zone","2"]',
  ]);
  expect(keys([storageClass("a")], false, [...zones, termOf({ zone: "1" })])).toHaveLength(2);
});

test("another answer is to be expected when the class has other parameters or is another class", () => {
  const version = (given: CapacityClass) =>
    desiredItems([given], [[]], { driver: "driver", immediateBinding: false }).get('["a"]')?.version;
  const plain = version(storageClass("a"));
  expect(version(storageClass("a", { metadata: { name: "a", uid: "uid-a", resourceVersion: "2" } }))).toBe(plain);
  expect(version(storageClass("a", { metadata: { name: "a", uid: "other", resourceVersion: "1" } }))).not.toBe(plain);
  expect(version(storageClass("a", { parameters: { pool: "x" } }))).not.toBe(plain);
});

test("the items are computed again only when a class or a topology has changed", () => {
  let classes = [storageClass("a"), storageClass("b")];
  let terms = zones;
  const pairs = cachedDesiredItems({ list: () => classes }, { driverTerms: () => terms }, { driver: "driver", immediateBinding: false });
  const first = pairs();
  expect(first.size).toBe(4);
  classes = [storageClass("b"), storageClass("a", { metadata: { name: "a", uid: "uid-a", resourceVersion: "2" } })];
  expect(pairs()).toBe(first);
  classes = [...classes, storageClass("c", { provisioner: "other" })];
  expect(pairs()).toBe(first);
  classes = [...classes, storageClass("d")];
  const second = pairs();
  expect(second.size).toBe(6);
  terms = [termOf({ zone: "1" })];
  expect(pairs().size).toBe(3);
});
