import { expect, test } from "bun:test";
import { dictionary, ownValue } from "./dictionary.ts";

const inherited = ["constructor", "toString", "hasOwnProperty", "__proto__"];

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
