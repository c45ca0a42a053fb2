import { describe, expect, test } from "bun:test";
import { applyJsonPatch } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";

const pod = { metadata: { name: "a", finalizers: ["x/1", "x/2"], annotations: { "csi.io/a~b": "1" } } };

describe("a JSON patch that applies", () => {
  const cases: [behaviour: string, patch: object[], metadata: object][] = [
    [
      "adds a member whose name needs escapes",
      [{ op: "add", path: "/metadata/annotations/csi.io~1a~0b", value: "2" }],
      { annotations: { "csi.io/a~b": "2" } },
    ],
    ["appends with -", [{ op: "add", path: "/metadata/finalizers/-", value: "x/3" }], { finalizers: ["x/1", "x/2", "x/3"] }],
    ["inserts before an index", [{ op: "add", path: "/metadata/finalizers/1", value: "x/3" }], { finalizers: ["x/1", "x/3", "x/2"] }],
    [
      "adds at the index just behind the end",
      [{ op: "add", path: "/metadata/finalizers/2", value: "x/3" }],
      { finalizers: ["x/1", "x/2", "x/3"] },
    ],
    ["removes an item", [{ op: "remove", path: "/metadata/finalizers/0" }], { finalizers: ["x/2"] }],
    ["replaces an item", [{ op: "replace", path: "/metadata/finalizers/0", value: "y/1" }], { finalizers: ["y/1", "x/2"] }],
    ["replaces an absent member by adding it", [{ op: "replace", path: "/metadata/labels", value: { a: "b" } }], { labels: { a: "b" } }],
    ["tests an absent member against null", [{ op: "test", path: "/metadata/labels", value: null }], {}],
    ["tests objects without regard to order", [{ op: "test", path: "/metadata/finalizers", value: ["x/1", "x/2"] }], {}],
    ["moves", [{ op: "move", from: "/metadata/annotations/csi.io~1a~0b", path: "/metadata/moved" }], { annotations: {}, moved: "1" }],
    ["copies", [{ op: "copy", from: "/metadata/name", path: "/metadata/copied" }], { copied: "a" }],
    ["counts a negative index from the end", [{ op: "remove", path: "/metadata/finalizers/-1" }], { finalizers: ["x/1"] }],
  ];
  test.each(cases)("%s", (_, patch, metadata) => {
    expect(applyJsonPatch(pod, patch)).toEqual({ metadata: { ...pod.metadata, ...metadata } });
  });
});

describe("a JSON patch that cannot be applied is 422 without a cause", () => {
  const cases: [behaviour: string, patch: unknown[]][] = [
    ["test of another value", [{ op: "test", path: "/metadata/name", value: "b" }]],
    ["test of an absent member", [{ op: "test", path: "/metadata/labels", value: {} }]],
    ["test below an absent parent", [{ op: "test", path: "/data/a", value: null }]],
    ["remove of an absent member", [{ op: "remove", path: "/metadata/labels" }]],
    ["remove below an absent parent", [{ op: "remove", path: "/metadata/labels/a" }]],
    ["add below an absent parent", [{ op: "add", path: "/metadata/ownerReferences/-", value: {} }]],
    ["an index behind the end", [{ op: "replace", path: "/metadata/finalizers/2", value: "x" }]],
    ["an index that is no number", [{ op: "remove", path: "/metadata/finalizers/a" }]],
    ["an unknown operation", [{ op: "merge", path: "/metadata" }]],
    ["a path without the leading slash", [{ op: "add", path: "metadata", value: {} }]],
    ["no path", [{ op: "add", value: {} }]],
    ["an operation that is no object", ["add"]],
  ];
  test.each(cases)("%s", (_, patch) => {
    expect(() => applyJsonPatch(pod, patch)).toThrow("the server rejected our request due to an error in our request");
  });
});

test("operations apply all or not at all, and the target is never changed", () => {
  const before = structuredClone(pod);
  expect(() =>
    applyJsonPatch(pod, [
      { op: "remove", path: "/metadata/name" },
      { op: "test", path: "/metadata/name", value: "a" },
    ]),
  ).toThrow();
  expect(pod).toEqual(before);
});

describe("a merge patch", () => {
  const cases: [behaviour: string, target: object, patch: object, result: object][] = [
    ["removes with null", { a: 1, b: { c: 1 } }, { a: null, b: { c: null } }, { b: {} }],
    ["creates parents, without nulls inside", {}, { a: { b: { c: 1, d: null } } }, { a: { b: { c: 1 } } }],
    ["replaces lists whole", { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ["replaces a scalar by an object", { a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
  ];
  test.each(cases)("%s", (_, target, patch, result) => {
    expect(applyMergePatch({ ...target }, patch)).toEqual({ ...result });
  });
  test("must be an object", () => {
    expect(() => applyMergePatch({}, [1])).toThrow(
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    );
  });
});
