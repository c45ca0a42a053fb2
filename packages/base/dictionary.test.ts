import { expect, test } from "bun:test";
import { dictionary, ownValue, setOwnValue } from "./dictionary.ts";
import { inheritedNames } from "./testing/index.ts";

const inherited: readonly string[] = inheritedNames;

test("an empty dictionary contains nothing, whatever the key", () => {
  const empty = dictionary<string>();
  expect(inherited.map((key) => [empty[key], key in empty])).toEqual(inherited.map(() => [undefined, false]));
});

test.each(inherited)("%s is a key of a dictionary like any other", (key) => {
  const made = dictionary<string>(JSON.parse(`{ ${JSON.stringify(key)}: "first" }`));
  expect(Object.entries(made)).toEqual([[key, "first"]]);
  made[key] = "second";
  expect(JSON.stringify(made)).toBe(`{${JSON.stringify(key)}:"second"}`);
  delete made[key];
  expect(Object.keys(made)).toEqual([]);
});

test("a plain object holds its own values only", () => {
  expect(inherited.map((key) => ownValue({ app: "web" }, key))).toEqual(inherited.map(() => undefined));
  expect(ownValue({ app: "web" }, "app")).toBe("web");
  expect(ownValue(JSON.parse('{ "__proto__": "own" }'), "__proto__")).toBe("own");
  expect(ownValue(undefined, "app")).toBeUndefined();
});

test.each(inherited)("a plain object gets a value of its own under %s", (key) => {
  const plain: Record<string, string> = {};
  setOwnValue(plain, key, "first");
  setOwnValue(plain, key, "second");
  expect(Object.entries(plain)).toEqual([[key, "second"]]);
  expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
  delete plain[key];
  expect(Object.keys(plain)).toEqual([]);
});
