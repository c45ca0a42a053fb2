import { describe, expect, test } from "bun:test";
import { compareTerms, distinctTerms, isSubset, type Labels, sortedTerm, termId, termOf, termOfLabels, toTopologies } from "./term.ts";

describe("a term's segments are sorted by key, then value", () => {
  test.each([
    ["one", [["zone", "zone1"]], ["zone=zone1"]],
    [
      "sorted already",
      [
        ["rack", "rackA"],
        ["zone", "zone1"],
      ],
      ["rack=rackA", "zone=zone1"],
    ],
    [
      "unsorted",
      [
        ["zone", "zone1"],
        ["rack", "rackA"],
      ],
      ["rack=rackA", "zone=zone1"],
    ],
    [
      "same key",
      [
        ["zone", "zone2"],
        ["zone", "zone1"],
      ],
      ["zone=zone1", "zone=zone2"],
    ],
    [
      "upper case before lower case",
      [
        ["zone", "z"],
        ["Zone", "z"],
      ],
      ["Zone=z", "zone=z"],
    ],
  ] as const)("%s", (_, segments, expected) => {
    const term = sortedTerm(segments.map(([key, value]) => ({ key, value })));
    expect(term.map(({ key, value }) => `${key}=${value}`)).toEqual([...expected]);
  });
});

test.each([
  ["equal", { zone: "1" }, { zone: "1" }, 0],
  ["both empty", {}, {}, 0],
  ["shorter first", { zone: "9" }, { rack: "1", zone: "1" }, -1],
  ["longer last", { rack: "1", zone: "1" }, { zone: "9" }, 1],
  ["by key", { rack: "2" }, { zone: "1" }, -1],
  ["by value", { zone: "2" }, { zone: "1" }, 1],
  ["by second segment", { rack: "1", zone: "1" }, { rack: "1", zone: "2" }, -1],
])("compare: %s", (_, a: Labels, b: Labels, expected) => {
  expect(Math.sign(compareTerms(termOf(a), termOf(b)))).toBe(expected);
});

test.each([
  ["the same", { zone: "1" }, { zone: "1" }, true],
  ["other value", { zone: "2" }, { zone: "1" }, false],
  ["other key", { rack: "1" }, { zone: "1" }, false],
  ["empty in anything", {}, { zone: "1" }, true],
  ["empty in empty", {}, {}, true],
  ["first of two", { rack: "1" }, { rack: "1", zone: "1" }, true],
  ["second of two", { zone: "1" }, { rack: "1", zone: "1" }, true],
  ["larger", { rack: "1", zone: "1" }, { zone: "1" }, false],
  ["first and third of three", { disk: "ssd", zone: "1" }, { disk: "ssd", rack: "1", zone: "1" }, true],
])("subset: %s", (_, term: Labels, outer: Labels, expected) => {
  expect(isSubset(termOf(term), termOf(outer))).toBe(expected);
});

test("a node without one of the keys is in no place, one without keys in the empty one", () => {
  expect(termOfLabels({ zone: "1" }, ["zone", "rack"])).toBeUndefined();
  expect(termOfLabels({ zone: "1" }, [])).toEqual([]);
  expect(termOfLabels({ zone: "", rack: "1" }, ["zone", "rack"])).toEqual(termOf({ rack: "1", zone: "" }));
});

test("equal places collapse, places within others stay", () => {
  const places: Labels[] = [{ zone: "1", rack: "A" }, { zone: "1" }, { rack: "A", zone: "1" }];
  expect(toTopologies(distinctTerms(places.map(termOf)))).toEqual([{ segments: { zone: "1" } }, { segments: { rack: "A", zone: "1" } }]);
});

test("places are told apart whatever they contain", () => {
  const places: Labels[] = [{}, { zone: "1" }, { zone: "" }, { 'a"b': "c,d" }, { 'a"b': "c", ",d": "" }];
  expect(new Set(places.map((place) => termId(termOf(place)))).size).toBe(places.length);
});

test("a request has no empty terms", () => {
  expect(toTopologies([[], termOf({ zone: "1" })])).toEqual([{ segments: { zone: "1" } }]);
});
